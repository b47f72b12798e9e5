#include "rank_memory.hpp"

#include "civitas/parallel/traffic.hpp"

namespace civitas::train {

using parallel::Net;

nn::NetDescription held_layers(const nn::GanDescription& gan, const Setting& setting, Net which,
                               int coordinate) {
    nn::NetDescription held;
    for (const int stage : setting.placement.stages_of(which, coordinate)) {
        const auto part = held_part(gan, setting, which,
                                    setting.stages_of(which).at(static_cast<std::size_t>(stage)));
        held.layers.insert(held.layers.end(), part.layers.begin(), part.layers.end());
    }
    return held;
}

RankMemory rank_memory(const Configuration& c, const Setting& setting, const parallel::Costs& costs,
                       int coordinate) {
    const auto gan = c.task.gan();
    const auto values = value_bytes(parse_precision(c.task.precision));
    RankMemory memory;
    for (const Net which : {Net::generator, Net::discriminator})
        memory.nets += parallel::net_memory(held_layers(gan, setting, which, coordinate),
                                            leaves_of(c.task, setting, which),
                                            has_mean(c.recipe, which), values);
    memory.activations = parallel::memory_peak(setting.schedule, coordinate, costs).bytes;
    memory.messages = parallel::message_bytes(setting.schedule, coordinate, costs);
    return memory;
}

}  // namespace civitas::train
