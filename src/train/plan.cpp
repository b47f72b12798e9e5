#include "plan.hpp"

#include "civitas/parallel/partition.hpp"

#include <algorithm>
#include <array>

namespace civitas::train {
namespace {

using parallel::Net;

constexpr std::array both_nets{Net::generator, Net::discriminator};

const nn::NetDescription& net_of(const nn::GanDescription& gan, Net which) {
    return which == Net::generator ? gan.generator : gan.discriminator;
}

parallel::LeafCounts leaves_of(const Configuration& c, const Setting& s, Net which) {
    return {.per_pass = c.task.micro_batches() / s.mesh.data,
            .passes = which == Net::generator ? 1 : 2};
}

void recut(Setting& s, const Configuration& c, const LayerSeconds& seconds) {
    const auto gan = c.task.gan();
    const auto stages = static_cast<int>(s.generator_stages.size());
    if (c.layout.stages.empty())
        s.generator_stages = parallel::partition_by(gan.generator, seconds.generator, stages);
    if (c.layout.discriminator_stages.empty())
        s.discriminator_stages =
            parallel::partition_by(gan.discriminator, seconds.discriminator, stages);
}

/// Fills in what making a plan of a setting takes, one net after the other.
class Planner {
public:
    Planner(const Configuration& c, const Resources& resources, Plan& plan)
        : c_(c),
          gan_(c.task.gan()),
          precision_(parse_precision(c.task.precision)),
          values_(value_bytes(precision_)),
          rates_(rates_of(resources, plan.setting.mesh.size(), precision_)),
          plan_(plan) {
        plan.costs.latency_s = resources.link_latency;
        plan.costs.bytes_per_second = resources.link_bandwidth;
    }

    void cost_stages(Net which) {
        auto& stages = which == Net::generator ? plan_.costs.generator : plan_.costs.discriminator;
        const auto& net = net_of(gan_, which);
        for (const Range layers : plan_.setting.stages_of(which)) {
            const auto times = std::span(plan_.seconds.of(which))
                                   .subspan(static_cast<std::size_t>(layers.begin),
                                            static_cast<std::size_t>(layers.count));
            const auto stage = nn::part_of(net, layers);
            stages.push_back(parallel::stage_costs(stage, c_.task.micro_batch, values_, times));
            const auto bytes = weight_bytes(stage);
            stages.back().reduce_s = reduce_seconds(which, bytes);
            stages.back().step_s = update_seconds(which, bytes);
        }
    }

    void weigh_coordinate(int coordinate) {
        RankMemory memory;
        std::int64_t reduced = 0;
        for (const Net which : both_nets) {
            nn::NetDescription held;
            for (const int stage : plan_.setting.placement.stages_of(which, coordinate)) {
                const auto part =
                    nn::part_of(net_of(gan_, which),
                                plan_.setting.stages_of(which).at(static_cast<std::size_t>(stage)));
                held.layers.insert(held.layers.end(), part.layers.begin(), part.layers.end());
            }
            const auto leaves = leaves_of(c_, plan_.setting, which);
            memory.nets += parallel::net_memory(held, leaves, has_mean(which), values_);
            reduced += parallel::reduction_bytes(weight_bytes(held), leaves.passes,
                                                 plan_.setting.mesh.data);
        }
        memory.activations =
            plan_.step.coordinates.at(static_cast<std::size_t>(coordinate)).peak.bytes;
        memory.messages = parallel::message_bytes(plan_.setting.schedule, coordinate, plan_.costs);
        plan_.memory.push_back(memory);
        plan_.reduced_bytes.push_back(reduced);
    }

private:
    [[nodiscard]] bool has_mean(Net which) const {
        return which == Net::generator && c_.recipe.ema > 0;
    }
    [[nodiscard]] std::int64_t weight_bytes(const nn::NetDescription& layers) const {
        return nn::parameter_count(layers) * values_.master;
    }
    [[nodiscard]] double reduce_seconds(Net which, std::int64_t bytes) const {
        const int ranks = plan_.setting.mesh.data;
        if (ranks == 1) return 0;
        const int passes = leaves_of(c_, plan_.setting, which).passes;
        return (passes + 1) * (ranks - 1) * plan_.costs.latency_s +
               static_cast<double>(parallel::reduction_bytes(bytes, passes, ranks)) /
                   plan_.costs.bytes_per_second;
    }
    /// Adam reads the gradient; it reads and writes weights, both moments and the mean.
    [[nodiscard]] double update_seconds(Net which, std::int64_t bytes) const {
        const int passes_over_memory = 1 + 2 * (has_mean(which) ? 4 : 3);
        return static_cast<double>(passes_over_memory * bytes) / rates_.bytes;
    }

    const Configuration& c_;
    nn::GanDescription gan_;
    Precision precision_;
    parallel::ValueBytes values_;
    parallel::Rates rates_;
    Plan& plan_;
};

}  // namespace

parallel::ValueBytes value_bytes(Precision precision) {
    return {.compute = static_cast<std::int64_t>(c10::elementSize(compute_type(precision))),
            .master = static_cast<std::int64_t>(c10::elementSize(master_type(precision)))};
}

LayerSeconds estimated_seconds(const Task& task, const Resources& resources, int ranks) {
    const Precision precision = parse_precision(task.precision);
    const auto gan = task.gan();
    const auto times = [&](const nn::NetDescription& net) {
        return parallel::estimated_times(net, task.micro_batch, value_bytes(precision),
                                         rates_of(resources, ranks, precision));
    };
    return {times(gan.generator), times(gan.discriminator)};
}

std::int64_t planned_activations(const Task& task, const Setting& setting, int coordinate) {
    const auto gan = task.gan();
    const auto values = value_bytes(parse_precision(task.precision));
    parallel::Costs costs;
    for (const Net which : both_nets) {
        auto& stages = which == Net::generator ? costs.generator : costs.discriminator;
        for (const Range layers : setting.stages_of(which)) {
            const auto stage = nn::part_of(net_of(gan, which), layers);
            const std::vector<parallel::LayerTimes> untimed(stage.layers.size());
            stages.push_back(parallel::stage_costs(stage, task.micro_batch, values, untimed));
        }
    }
    return parallel::memory_peak(setting.schedule, coordinate, costs).bytes;
}

std::int64_t Plan::peak_bytes() const {
    std::int64_t most = 0;
    for (const RankMemory& rank : memory) most = std::max(most, rank.sum());
    return most;
}

Plan make_plan(const Configuration& c, comm::MeshShape mesh, const Resources& resources,
               LayerSeconds seconds, bool measured) {
    Plan plan;
    plan.setting.mesh = mesh;
    plan.seconds = std::move(seconds);
    check_batch(c.task, mesh);
    lay_out(plan.setting, c);
    if (measured) recut(plan.setting, c, plan.seconds);
    Planner planner(c, resources, plan);
    for (const Net which : both_nets) planner.cost_stages(which);
    plan.step = parallel::simulate(plan.setting.schedule, plan.costs);
    for (int at = 0; at < mesh.pipe; ++at) planner.weigh_coordinate(at);
    plan.cuts = parallel::cut_traffic(plan.setting.schedule, plan.costs);
    return plan;
}

}  // namespace civitas::train
