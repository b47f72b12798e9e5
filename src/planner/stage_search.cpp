#include "civitas/planner/stage_search.hpp"

#include "civitas/base/error.hpp"
#include "civitas/planner/network.hpp"
#include "civitas/planner/rank_memory.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace civitas::planner {
namespace {

using schedule::Net;

/// How many cuts the simulator is asked about: fewer of large tables.
int evaluations_of(const schedule::Schedule& schedule, SearchBudget budget) {
    if (budget == SearchBudget::fit || budget == SearchBudget::check) return 1;
    const std::size_t actions_simulated = budget == SearchBudget::compare ? 100'000 : 1'000'000;
    std::size_t actions = 0;
    for (const auto& list : schedule.coordinates) actions += list.size();
    return static_cast<int>(std::clamp<std::size_t>(actions_simulated / actions, 1, 400));
}

int stages_of_net(const ExecutionLayout& s) {
    int stages = 0;
    for (int at = 0; at < s.mesh[Axis::pipe]; ++at)
        stages += static_cast<int>(s.placement.stages_of(Net::generator, at).size());
    return stages;
}

const std::vector<std::int64_t>& asked_of(const LayoutOptions& options, Net which) {
    return which == Net::generator ? options.stages : options.discriminator_stages;
}

/// Where a net may be cut: the user's own stages leave no choice.
std::vector<Range> pieces_of(const net::NetDescription& net, const std::vector<std::int64_t>& asked,
                             int stages) {
    return asked.empty() ? blocks_of(net, stages) : partition_as(net, asked, stages);
}

class Blocks {
public:
    Blocks(const ExecutionLayout& s, const Configuration& c, const MachineModel& machine,
           const LayerTimings& timings)
        : s_(s),
          c_(c),
          link_(link_along(machine, s.mesh, Axis::pipe)),
          timings_(timings),
          gan_(c.problem.gan()) {}

    [[nodiscard]] std::vector<Block> of(Net which, int stages) const {
        const auto& net = net_of(gan_, which);
        const auto visits = action_counts(s_.schedule, which, stages);
        std::vector<Block> blocks;
        for (const Range layers : pieces_of(net, asked_of(c_.layout_options, which), stages)) {
            const auto part = local_part(gan_, s_, which, layers);
            Block& block = blocks.emplace_back();
            block.layers = layers;
            block.seconds = seconds_of(which, layers, visits);
            block.bytes = nets_bytes(which, part) + saved_bytes(part);
            block.cut_seconds = (visits.forward + visits.backward_input) * message_seconds(part);
        }
        return blocks;
    }

    /// More than any coordinate can need: everything, and each visit's activations twice, as if all
    /// lived at once.
    [[nodiscard]] double most_bytes(int stages) const {
        double sum = 0;
        for (const Net which : {Net::generator, Net::discriminator}) {
            const auto& net = net_of(gan_, which);
            const auto all = local_part(gan_, s_, which, {0, std::ssize(net.layers)});
            const auto visits = action_counts(s_.schedule, which, stages);
            sum += static_cast<double>(nets_bytes(which, all)) +
                   2 * visits.forward * static_cast<double>(saved_bytes(all));
        }
        return sum;
    }

private:
    [[nodiscard]] double seconds_of(Net which, Range layers, const ActionCounts& visits) const {
        double sum = 0;
        for (const auto& t : std::span(timings_.of(which))
                                 .subspan(static_cast<std::size_t>(layers.begin),
                                          static_cast<std::size_t>(layers.count)))
            sum += visits.forward * t.forward_s + visits.backward_input * t.backward_input_s +
                   visits.backward_weights * t.backward_weights_s;
        return sum;
    }
    [[nodiscard]] std::int64_t nets_bytes(Net which, const net::NetDescription& part) const {
        const auto values = value_bytes(c_.problem.precision);
        return net_memory(part, leaves_of(c_.problem, s_, which),
                          has_mean(c_.hyperparameters, which), values)
            .sum();
    }
    [[nodiscard]] std::int64_t saved_bytes(const net::NetDescription& part) const {
        return planner::saved_bytes(part, c_.problem.micro_batch,
                                    value_bytes(c_.problem.precision));
    }
    [[nodiscard]] double message_seconds(const net::NetDescription& part) const {
        const auto values = value_bytes(c_.problem.precision);
        const auto elements = c_.problem.micro_batch * net::shapes_of(part).back().elements();
        return link_.seconds(1, elements * values.compute);
    }

    const ExecutionLayout& s_;
    const Configuration& c_;
    Link link_;
    const LayerTimings& timings_;
    const net::GanDescription& gan_;
};

/// Of the coordinate that has most too many.
std::int64_t excess_bytes(const Configuration& c, const ExecutionLayout& layout,
                          const MachineModel& machine, const schedule::Costs& costs) {
    const double room = memory_of_rank(machine, layout.mesh.size());
    double excess = 0;
    for (int at = 0; at < layout.mesh[Axis::pipe]; ++at)
        excess = std::max(
            excess, static_cast<double>(rank_memory(c, layout, machine, costs, at).sum()) - room);
    return static_cast<std::int64_t>(std::ceil(excess));
}

}  // namespace

PartitionCost choose_stages(ExecutionLayout& layout, const Configuration& c,
                            const MachineModel& machine, const LayerTimings& timings,
                            SearchBudget budget) {
    const int stages = stages_of_net(layout);
    const Blocks blocks(layout, c, machine, timings);
    const BlocksOfNets both{blocks.of(Net::generator, stages),
                            blocks.of(Net::discriminator, stages)};
    const double room = memory_of_rank(machine, layout.mesh.size()) -
                        static_cast<double>(most_beside(c.problem, layout));
    const bool scarce = blocks.most_bytes(stages) > room;
    const auto price = [&](const StagesOfNets& cut) {
        layout.generator_stages = cut.generator;
        layout.discriminator_stages = cut.discriminator;
        const auto costs = costs_of(layout, c, machine, timings);
        return PartitionCost{
            scarce ? excess_bytes(c, layout, machine, costs) : 0,
            budget == SearchBudget::fit ? 0 : schedule::makespan(layout.schedule, costs)};
    };
    const auto pairing = layout.reversed() ? Pairing::reversed : Pairing::same;
    const auto cap = scarce ? static_cast<std::int64_t>(std::max(0.0, room)) : no_cap;
    auto cut = partition(both, stages, pairing, cap);
    if (!cut) cut = partition(both, stages, pairing);
    if (!cut) throw UsageError("the times of the layers are no numbers to cut the nets by");
    if (budget == SearchBudget::fit) return price(*cut);
    return price(local_search(*cut, both, price, evaluations_of(layout.schedule, budget)));
}

}  // namespace civitas::planner
