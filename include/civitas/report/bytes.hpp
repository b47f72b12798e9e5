#pragma once
/// Bytes that ranks hold, by what they are held for.
#include "civitas/base/node_map.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace civitas::report {

/// Of one rank, at most.
struct HeldBytes {
    std::int64_t parameters = 0;   ///< with those gathered from other ranks at once
    std::int64_t gradients = 0;    ///< partial sums and leaves
    std::int64_t moments = 0;      ///< of Adam
    std::int64_t mean = 0;         ///< of the weights
    std::int64_t activations = 0;  ///< saved between F, B and W
    std::int64_t messages = 0;     ///< on their way to the rank
    std::int64_t copy = 0;         ///< of what the rank writes of a checkpoint
    std::int64_t offloaded = 0;    ///< to host memory or a disk, and so none of `all`

    [[nodiscard]] std::int64_t nets() const { return parameters + gradients + moments + mean; }
    [[nodiscard]] std::int64_t all() const { return nets() + activations + messages + copy; }
    HeldBytes& operator+=(const HeldBytes& other);
};

/// The most that any rank has of a figure, and any node, whose ranks are added up.
struct MostBytes {
    std::int64_t rank = 0;
    std::int64_t node = 0;
};
/// `ranks`: the figure of every rank that the map knows.
[[nodiscard]] MostBytes most_bytes(std::span<const std::int64_t> ranks, const NodeMap& nodes);

/// `figure`: a member of what each rank tells, or a function of that.
template <class Told, class Figure>
[[nodiscard]] MostBytes most_bytes(const std::vector<Told>& ranks, const NodeMap& nodes,
                                   Figure figure) {
    std::vector<std::int64_t> figures;
    for (const Told& told : ranks) figures.push_back(std::invoke(figure, told));
    return most_bytes(figures, nodes);
}

/// All figures, by the names that metrics.jsonl has for them.
[[nodiscard]] std::map<std::string, MostBytes> most_by_name(const std::vector<HeldBytes>& ranks,
                                                            const NodeMap& nodes);

}  // namespace civitas::report
