#pragma once
/// The first plans of a store, for its sheet.
#include "civitas/comm/communicator.hpp"
#include "civitas/data/store_writer.hpp"
#include "civitas/io/picture.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::inference {

class FirstPlans {
public:
    static constexpr std::int64_t most = 64;

    /// The next plans: those of all ranks, in rank order, `pixels` a side. What is still wanted of
    /// them goes to the root, made small; the other ranks keep none. Collective.
    void take(const comm::Communicator& world, std::span<const data::PackedTile> plans,
              std::int64_t pixels);

    /// Eight a row. For the root, which has one at least.
    [[nodiscard]] io::Picture sheet() const;

    /// Classes that this rank holds, of all plans.
    [[nodiscard]] const std::vector<std::uint8_t>& classes() const noexcept { return classes_; }

private:
    std::int64_t held_ = 0;                   ///< plans, the same on all ranks
    std::vector<std::uint8_t> classes_ = {};  ///< of the root
};

}  // namespace civitas::inference
