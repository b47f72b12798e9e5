#include "civitas/report/bytes.hpp"

#include <algorithm>

namespace civitas::report {

HeldBytes& HeldBytes::operator+=(const HeldBytes& other) {
    parameters += other.parameters;
    gradients += other.gradients;
    moments += other.moments;
    mean += other.mean;
    activations += other.activations;
    messages += other.messages;
    copy += other.copy;
    offloaded += other.offloaded;
    return *this;
}

MostBytes most_bytes(std::span<const std::int64_t> ranks, const NodeMap& nodes) {
    MostBytes most;
    std::map<int, std::int64_t> of_nodes;
    for (const Rank rank : each<Rank>(std::ssize(ranks))) {
        const std::int64_t bytes = ranks[static_cast<std::size_t>(index(rank))];
        most.rank = std::max(most.rank, bytes);
        most.node = std::max(most.node, of_nodes[nodes.node_of(rank)] += bytes);
    }
    return most;
}

std::map<std::string, MostBytes> most_by_name(const std::vector<HeldBytes>& ranks,
                                              const NodeMap& nodes) {
    const auto most = [&](auto figure) { return most_bytes(ranks, nodes, figure); };
    return {{"parameters", most(&HeldBytes::parameters)},
            {"gradients", most(&HeldBytes::gradients)},
            {"moments", most(&HeldBytes::moments)},
            {"mean", most(&HeldBytes::mean)},
            {"activations", most(&HeldBytes::activations)},
            {"messages", most(&HeldBytes::messages)},
            {"copy", most(&HeldBytes::copy)},
            {"offloaded", most(&HeldBytes::offloaded)},
            {"all", most(&HeldBytes::all)}};
}

}  // namespace civitas::report
