#include "civitas/planner/cost_model.hpp"

#include "civitas/planner/network.hpp"
#include "civitas/schedule/traffic.hpp"

#include <span>

namespace civitas::planner {
namespace {

using schedule::Net;

class Costing {
public:
    Costing(const ExecutionLayout& s, const Configuration& c, const MachineModel& machine)
        : s_(s),
          c_(c),
          gan_(c.problem.gan()),
          values_(value_bytes(c.problem.precision)),
          rates_(rates_of(machine, s.mesh.size(), c.problem.precision)),
          data_(link_along(machine, s.mesh, Axis::data)) {
        const Link pipe = link_along(machine, s.mesh, Axis::pipe);
        costs_.latency_s = pipe.latency_s;
        costs_.bytes_per_second = pipe.bytes_per_second;
        costs_.fakes_copied = c.hyperparameters.instance_noise > 0 ||
                              c.hyperparameters.translate > 0 || values_.compute < values_.master;
        rates_.tensor = link_along(machine, s.mesh, Axis::tensor);
    }

    void add_stages(Net which, std::span<const LayerTimes> times) {
        auto& stages = which == Net::generator ? costs_.generator : costs_.discriminator;
        for (const Range layers : s_.stages_of(which)) {
            const auto part = local_part(gan_, s_, which, layers);
            const auto part_times =
                times_of_part(net::part_of(net_of(gan_, which), layers),
                              times.subspan(static_cast<std::size_t>(layers.begin),
                                            static_cast<std::size_t>(layers.count)),
                              part, c_.problem.micro_batch, values_, rates_);
            stages.push_back(stage_costs(part, c_.problem.micro_batch, values_, part_times));
            const auto bytes = net::parameter_count(part) * values_.master;
            stages.back().reduce_s = reduce_seconds(which, bytes);
            stages.back().step_s = update_seconds(which, bytes);
        }
    }

    [[nodiscard]] const schedule::Costs& costs() const { return costs_; }

private:
    [[nodiscard]] double reduce_seconds(Net which, std::int64_t bytes) const {
        const int ranks = s_.mesh[Axis::data];
        if (ranks == 1) return 0;
        const int passes = leaves_of(c_.problem, s_, which).passes;
        return data_.seconds(std::int64_t{passes + 1} * (ranks - 1),
                             schedule::reduction_bytes(bytes, passes, ranks));
    }
    /// Adam reads the gradient; it reads and writes weights, both moments and the mean.
    [[nodiscard]] double update_seconds(Net which, std::int64_t bytes) const {
        const int passes_over_memory = 1 + 2 * (has_mean(c_.hyperparameters, which) ? 4 : 3);
        return static_cast<double>(passes_over_memory * bytes) / rates_.bytes;
    }

    const ExecutionLayout& s_;
    const Configuration& c_;
    const net::GanDescription& gan_;
    ValueBytes values_;
    Rates rates_;
    Link data_;
    schedule::Costs costs_;
};

}  // namespace

LayerTimings estimated_timings(const Problem& problem, const MachineModel& machine, int ranks) {
    const net::Precision precision = problem.precision;
    const auto& gan = problem.gan();
    const auto times = [&](const net::NetDescription& net) {
        return estimated_times(net, problem.micro_batch, value_bytes(precision),
                               rates_of(machine, ranks, precision));
    };
    return {times(gan.generator), times(gan.discriminator)};
}

schedule::Costs costs_of(const ExecutionLayout& layout, const Configuration& configuration,
                         const MachineModel& machine, const LayerTimings& timings) {
    Costing costing(layout, configuration, machine);
    for (const Net which : {Net::generator, Net::discriminator})
        costing.add_stages(which, timings.of(which));
    return costing.costs();
}

ValueBytes value_bytes(net::Precision precision) {
    const std::int64_t master = precision == net::Precision::fp64 ? 8 : 4;
    return {.compute = precision == net::Precision::bf16 ? 2 : master, .master = master};
}

const net::NetDescription& net_of(const net::GanDescription& gan, Net which) {
    return which == Net::generator ? gan.generator : gan.discriminator;
}

net::NetDescription local_part(const net::GanDescription& gan, const ExecutionLayout& layout,
                               Net which, Range layers) {
    return net::tensor_part(net::part_of(net_of(gan, which), layers),
                            net::part_of(layout.cuts_of(which), layers), 0);
}

schedule::LeafCounts leaves_of(const Problem& problem, const ExecutionLayout& layout, Net which) {
    return {.per_pass = problem.micro_batches() / layout.mesh[Axis::data],
            .passes = which == Net::generator ? 1 : 2};
}

bool has_mean(const Hyperparameters& hyperparameters, Net which) {
    return which == Net::generator && hyperparameters.ema > 0;
}

}  // namespace civitas::planner
