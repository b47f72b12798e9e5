#pragma once
/// Tables of smaller stages.
#include "civitas/schedule/sharded_weights.hpp"
#include "schedule/tables.hpp"

#include <numeric>

namespace civitas::test {

using schedule::StageCounts;
using schedule::StageParts;

/// Calls with (name, shape) for the tables of every name on 1, 2 and 4 coordinates, of both graphs.
template <class Visit>
void for_some_tables(const Visit& visit) {
    for (const auto& name : schedule_names)
        for (const int p : {1, 2, 4})
            for (int bits = 0; bits < 8; ++bits) {
                ScheduleShape shape = shape_of(name, p, 4);
                shape.redraw = (bits & 1) != 0;
                shape.recompute = (bits & 2) != 0;
                shape.reversed = (bits & 4) != 0;
                visit(name, shape);
                shape.graph = classifier();
                if (bits % 4 == 2) visit(name, shape);
            }
}

/// One to three of each stage.
inline StageParts uneven_parts(const ScheduleShape& shape) {
    StageParts parts;
    for (const schedule::NetId net : shape.graph.net_ids()) {
        auto& of_net = parts.emplace_back();
        for (int stage = 0; stage < shape.stages(); ++stage)
            of_net.push_back(1 + (2 * index(net) + stage) % 3);
    }
    return parts;
}

inline StageCounts counts_of(const StageParts& parts) {
    StageCounts counts;
    for (const auto& of_net : parts)
        counts.nets.push_back(std::accumulate(of_net.begin(), of_net.end(), 0));
    return counts;
}

/// The step of a net of three stages on one coordinate.
inline Schedule three_stages(std::int64_t micro_batches) {
    return schedule::split_stages(
        schedule::make_schedule("1f1b", {.graph = classifier(), .micro_batches = micro_batches}),
        {{3}});
}

}  // namespace civitas::test
