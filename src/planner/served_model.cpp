#include "civitas/planner/served_model.hpp"

#include "stage_tensors.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/net/arena_slices.hpp"

namespace civitas::planner {
namespace {

/// Bytes of the arrays of a net, as a rank of the job has them.
struct Sizes {
    std::int64_t whole = 0;       ///< all weights
    std::int64_t owned = 0;       ///< those that it serves
    std::int64_t statistics = 0;  ///< of batch norms, of a part of a step
};

net::ArenaDivision division_of(const ServedModel& served, const ServedNet& net) {
    return {net.description, served.roles.servers()};
}

Sizes sizes_of(const ServedModel& served, const ServedNet& net,
               const net::ArenaDivision& division) {
    constexpr std::int64_t of_channel = 2;  // mean and variance
    const std::int64_t value = net.values.master;
    const std::int64_t channels = StageTensors(net.description).normalised_channels();
    Sizes sizes{
        .whole = net::ArenaLayout(net::parameters_of(net.description)).size() * value,
        .statistics = net.leaves.passes * net.leaves.per_pass * of_channel * channels * value};
    if (served.serves()) sizes.owned = division.owned_by(index(served.me)).count() * value;
    return sizes;
}

Sizes sizes_of(const ServedModel& served, const ServedNet& net) {
    return sizes_of(served, net, division_of(served, net));
}

/// In the message of a part's gradient to this rank: statistics go to the root alone.
std::int64_t gradient_bytes(const ServedModel& served, const ServedNet& net, const Sizes& sizes) {
    return net.leaves.passes * sizes.owned + (served.is_root() ? sizes.statistics : 0);
}

/// How often weights are got in a step by workers that make so many parts.
std::int64_t pulls(const ServedModel& served, const ServedNet& net, std::int64_t parts,
                   std::int64_t workers) {
    const int of_part = pulls_of_part(served, net.awaited);
    return of_part == 0 ? workers : of_part * parts;
}

ServedTraffic traffic_of(const ServedModel& served, const ServedNet& net, const Sizes& sizes) {
    const std::int64_t parts = served.works() ? served.parts_of_worker() : 0;
    const std::int64_t of_part =
        net.leaves.passes * (sizes.whole - sizes.owned) + (served.is_root() ? 0 : sizes.statistics);
    const std::int64_t least = served.works() ? served.parts / served.roles.workers() : 0;
    const std::int64_t asked = pulls(served, net, served.parts, served.busy_workers()) -
                               pulls(served, net, least, least > 0 ? 1 : 0);
    return {.gradients = parts * of_part, .weights = asked * sizes.owned};
}

}  // namespace

NetMemory net_memory_of(const ServedModel& served, const ServedNet& net, NetMemory own) {
    const Sizes sizes = sizes_of(served, net);
    if (!served.is_root()) own.moments = own.mean = 0;
    if (!served.works()) own.gradients = 0;
    if (!served.serves()) return own;
    own.parameters += sizes.owned;
    own.moments += net.kept.moments * sizes.owned;
    if (net.kept.mean) own.mean += sizes.owned;
    // Of steps further ahead gradients wait only while a worker is stopped.
    const std::int64_t steps = served.max_staleness == 0 ? 1 : 2;
    own.gradients += steps * served.parts * gradient_bytes(served, net, sizes);
    return own;
}

std::int64_t expected_bytes(const ServedModel& served, const ServedNet& net) {
    const Sizes sizes = sizes_of(served, net);
    const std::int64_t arrays = 1 + net.kept.count();
    std::int64_t bytes = sizes.whole;
    if (served.is_root()) bytes += arrays * sizes.whole;
    if (served.serves())
        bytes += arrays * sizes.owned + served.roles.workers() * gradient_bytes(served, net, sizes);
    return bytes;
}

std::int64_t passing_bytes(const ServedModel& served, const ServedNet& net) {
    const Sizes sizes = sizes_of(served, net);
    const std::int64_t answers =
        std::max<std::int64_t>(served.busy_workers(), 1 + net.kept.count()) * sizes.owned;
    return answers + (served.works() ? net.leaves.passes * sizes.whole + sizes.statistics : 0);
}

std::int64_t published_bytes(const ServedModel& served, const ServedNet& net) {
    return served.is_root() ? (1 + net.kept.count()) * sizes_of(served, net).whole : 0;
}

int pulls_of_part(const ServedModel& served, bool awaited) {
    if (served.max_staleness == 0) return awaited ? 1 : 0;
    return awaited ? 2 : 1;
}

ServedTraffic traffic_of(const ServedModel& served, const ServedNet& net) {
    return traffic_of(served, net, sizes_of(served, net));
}

std::vector<ServedTraffic> traffic_of_ranks(ServedModel served, const ServedNet& net) {
    const net::ArenaDivision division = division_of(served, net);
    std::vector<ServedTraffic> traffic;
    for (const Rank rank : each<Rank>(served.roles.ranks())) {
        served.me = rank;
        traffic.push_back(traffic_of(served, net, sizes_of(served, net, division)));
    }
    return traffic;
}

std::string in_words(const ServedTraffic& most) {
    return text("in a step a worker sends other ranks at most ", megabytes(most.gradients),
                " of gradients, and a server ", megabytes(most.weights), " of weights");
}

}  // namespace civitas::planner
