#include "plan.hpp"

#include "layout.hpp"

#include <algorithm>
#include <array>

namespace civitas::train {
namespace {

using parallel::Net;

constexpr std::array both_nets{Net::generator, Net::discriminator};

/// What the pipe coordinates of a plan hold and send.
class Weighing {
public:
    Weighing(const Configuration& c, Plan& plan)
        : c_(c),
          gan_(c.task.gan()),
          values_(value_bytes(parse_precision(c.task.precision))),
          plan_(plan) {}

    void weigh_coordinate(int coordinate) {
        RankMemory memory;
        std::int64_t reduced = 0;
        for (const Net which : both_nets) {
            nn::NetDescription held;
            for (const int stage : plan_.setting.placement.stages_of(which, coordinate)) {
                const auto part =
                    held_part(gan_, plan_.setting, which,
                              plan_.setting.stages_of(which).at(static_cast<std::size_t>(stage)));
                held.layers.insert(held.layers.end(), part.layers.begin(), part.layers.end());
            }
            const auto leaves = leaves_of(c_.task, plan_.setting, which);
            memory.nets += parallel::net_memory(held, leaves, has_mean(c_.recipe, which), values_);
            reduced += parallel::reduction_bytes(nn::parameter_count(held) * values_.master,
                                                 leaves.passes, plan_.setting.mesh.data);
        }
        memory.activations =
            plan_.step.coordinates.at(static_cast<std::size_t>(coordinate)).peak.bytes;
        memory.messages = parallel::message_bytes(plan_.setting.schedule, coordinate, plan_.costs);
        plan_.memory.push_back(memory);
        plan_.reduced_bytes.push_back(reduced);
        plan_.exchanges.push_back(
            parallel::exchange_traffic(plan_.setting.schedule, coordinate, plan_.costs));
    }

private:
    const Configuration& c_;
    nn::GanDescription gan_;
    parallel::ValueBytes values_;
    Plan& plan_;
};

}  // namespace

std::int64_t Plan::peak_bytes() const {
    std::int64_t most = 0;
    for (const RankMemory& rank : memory) most = std::max(most, rank.sum());
    return most;
}

Plan plan_of(const Configuration& c, Setting setting, const Resources& resources,
             LayerSeconds seconds) {
    Plan plan;
    plan.setting = std::move(setting);
    plan.seconds = std::move(seconds);
    plan.costs = costs_of(plan.setting, c, resources, plan.seconds);
    plan.step = parallel::simulate(plan.setting.schedule, plan.costs);
    Weighing weighing(c, plan);
    for (int at = 0; at < plan.setting.mesh.pipe; ++at) weighing.weigh_coordinate(at);
    plan.cuts = parallel::cut_traffic(plan.setting.schedule, plan.costs);
    return plan;
}

Plan make_plan(const Configuration& c, comm::MeshShape mesh, const Resources& resources,
               LayerSeconds seconds) {
    Setting setting;
    setting.mesh = mesh;
    check_batch(c.task, mesh);
    lay_out(setting, c, resources, seconds);
    return plan_of(c, std::move(setting), resources, std::move(seconds));
}

}  // namespace civitas::train
