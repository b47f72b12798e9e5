#include "cutting.hpp"

#include "links.hpp"

#include "civitas/parallel/partition.hpp"

#include <algorithm>
#include <span>

namespace civitas::train {
namespace {

using parallel::Net;

/// How many cuts the simulator is asked about: fewer of large tables, so that comparing meshes
/// takes seconds.
int questions_about(const parallel::Schedule& schedule) {
    constexpr std::size_t actions_simulated = 300'000;
    std::size_t actions = 0;
    for (const auto& list : schedule.coordinates) actions += list.size();
    return static_cast<int>(std::clamp<std::size_t>(actions_simulated / actions, 20, 400));
}

int stages_of_net(const Setting& s) {
    int stages = 0;
    for (int at = 0; at < s.mesh.pipe; ++at)
        stages += static_cast<int>(s.placement.stages_of(Net::generator, at).size());
    return stages;
}

const std::vector<std::int64_t>& asked_of(const Layout& layout, Net which) {
    return which == Net::generator ? layout.stages : layout.discriminator_stages;
}

/// Where a net may be cut: the user's own stages leave no choice.
std::vector<Range> pieces_of(const nn::NetDescription& net, const std::vector<std::int64_t>& asked,
                             int stages) {
    return asked.empty() ? parallel::blocks_of(net, stages)
                         : parallel::partition_as(net, asked, stages);
}

class Blocks {
public:
    Blocks(const Setting& s, const Configuration& c, const Resources& resources,
           const LayerSeconds& seconds)
        : s_(s),
          c_(c),
          link_(link_along(resources, s.mesh, comm::Axis::pipe)),
          seconds_(seconds),
          gan_(c.task.gan()) {}

    [[nodiscard]] std::vector<parallel::Block> of(Net which, int stages) const {
        const auto& net = net_of(gan_, which);
        const auto visits = parallel::visits_of(s_.schedule, which, stages);
        std::vector<parallel::Block> blocks;
        for (const Range layers : pieces_of(net, asked_of(c_.layout, which), stages)) {
            const auto part = held_part(gan_, s_, which, layers);
            parallel::Block& block = blocks.emplace_back();
            block.layers = layers;
            block.seconds = seconds_of(which, layers, visits);
            block.bytes = bytes_of(which, part);
            block.cut_seconds = (visits.forward + visits.backward_input) * message_seconds(part);
        }
        return blocks;
    }

private:
    [[nodiscard]] double seconds_of(Net which, Range layers, const parallel::Visits& visits) const {
        double sum = 0;
        for (const auto& t : std::span(seconds_.of(which))
                                 .subspan(static_cast<std::size_t>(layers.begin),
                                          static_cast<std::size_t>(layers.count)))
            sum += visits.forward * t.forward_s + visits.backward_input * t.backward_input_s +
                   visits.backward_weights * t.backward_weights_s;
        return sum;
    }
    [[nodiscard]] std::int64_t bytes_of(Net which, const nn::NetDescription& part) const {
        const auto values = value_bytes(parse_precision(c_.task.precision));
        return parallel::net_memory(part, leaves_of(c_.task, s_, which), has_mean(c_.recipe, which),
                                    values)
                   .sum() +
               parallel::saved_bytes(part, c_.task.micro_batch, values);
    }
    [[nodiscard]] double message_seconds(const nn::NetDescription& part) const {
        const auto values = value_bytes(parse_precision(c_.task.precision));
        const auto elements = c_.task.micro_batch * nn::shapes_of(part).back().elements();
        return link_.seconds(1, elements * values.compute);
    }

    const Setting& s_;
    const Configuration& c_;
    parallel::Link link_;
    const LayerSeconds& seconds_;
    nn::GanDescription gan_;
};

}  // namespace

double cut_nets(Setting& setting, const Configuration& c, const Resources& resources,
                const LayerSeconds& seconds) {
    const int stages = stages_of_net(setting);
    const Blocks blocks(setting, c, resources, seconds);
    const parallel::BlocksOfNets both{blocks.of(Net::generator, stages),
                                      blocks.of(Net::discriminator, stages)};
    const auto room = static_cast<std::int64_t>(memory_of_rank(resources, setting.mesh.size()));
    const auto use = [&](const parallel::StagesOfNets& cut) {
        setting.generator_stages = cut.generator;
        setting.discriminator_stages = cut.discriminator;
    };
    const auto step = [&](const parallel::StagesOfNets& cut) {
        use(cut);
        return parallel::makespan(setting.schedule, costs_of(setting, c, resources, seconds));
    };
    const auto pairing = setting.reversed() ? parallel::Pairing::reversed : parallel::Pairing::same;
    auto cut = parallel::partition(both, stages, pairing, room);
    if (!cut) cut = parallel::partition(both, stages, pairing);
    return step(parallel::refined(*cut, both, step, questions_about(setting.schedule)));
}

}  // namespace civitas::train
