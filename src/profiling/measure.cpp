#include "civitas/profiling/measure.hpp"

#include "layer_rounds.hpp"

#include "civitas/net/own_kernel.hpp"
#include "civitas/profiling/few_images.hpp"

#include <ATen/ops/ones.h>
#include <algorithm>
#include <utility>

namespace civitas::profiling {
namespace {

using planner::LayerTimes;

/// Of the timings of a net by which steps are foreseen and stages cut: a start shall not wait long.
constexpr Patience little{1, 12, 0.1};
/// Of the timings of one part of a net that choose the kernels of a whole run.
constexpr Patience much{3, 40, 0.5};

/// Some milliseconds more than others takes a CPU's first round: caches, pages, threads that sleep.
constexpr double warm_up_matters_s = 0.02;

/// Parts of a net that are timed one after the other: a whole net may be more than a rank can hold.
/// Each has as many layers as weights and outputs fit a size that is beyond caches, or one.
std::vector<Range> timed_parts(const net::NetDescription& net, const planner::Workload& workload) {
    constexpr std::int64_t most = std::int64_t{64} << 20;
    const planner::ValueBytes values = planner::value_bytes(workload.precision);
    const auto shapes = net::shapes_of(net);
    std::vector<Range> parts;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        const std::int64_t more =
            net::parameter_count(net::part_of(net, {number, 1})) * values.master +
            workload.micro_batch * shapes[i + 1].elements() * values.compute;
        if (parts.empty() || bytes + more > most) {
            parts.push_back({number, 0});
            bytes = 0;
        }
        ++parts.back().count;
        bytes += more;
    }
    return parts;
}

/// A part of a net as a workload's kernels compute it, and where those are to be chosen as ATen
/// does, too.
std::vector<net::NetDescription> ways_of(const net::NetDescription& part,
                                         const net::KernelOptions& kernels) {
    std::vector<net::NetDescription> ways{net::with_kernels(part, kernels)};
    if (kernels.automatic) ways.push_back(net::by_aten(part));
    return ways;
}

std::vector<LayerTimes> typical(const SamplesOfLayers& samples) {
    std::vector<LayerTimes> times;
    for (const SamplesOfLayer& of : samples) times.push_back(of.typical());
    return times;
}
std::vector<LayerTimes> least(const SamplesOfLayers& samples) {
    std::vector<LayerTimes> times;
    for (const SamplesOfLayer& of : samples) times.push_back(of.least());
    return times;
}

double total_of(const std::vector<LayerTimes>& layers) {
    double sum = 0;
    for (const LayerTimes& times : layers) sum += times.sum();
    return sum;
}

/// Times of layers by each way of making them.
using WaysTimes = std::vector<std::vector<LayerTimes>>;

/// Times the ways in turns.
WaysTimes times_in_turns(LayerRounds& rounds, std::int64_t images) {
    auto warm_up = rounds.no_samples();
    rounds.take(images, warm_up);
    auto samples = rounds.no_samples();
    repeat(much, [&] { rounds.take(images, samples); });
    WaysTimes times;
    for (const SamplesOfLayers& of : samples) times.push_back(least(of));
    return times;
}

/// Times the only way of `net` with more and more images, until they tell of the micro-batch or are
/// all of it.
std::vector<LayerTimes> times_in_short(LayerRounds& rounds, const net::NetDescription& net,
                                       std::int64_t micro_batch, const Patience& patience) {
    const auto round = [&](std::int64_t images) {
        auto samples = rounds.no_samples();
        rounds.take(images, samples);
        return typical(samples.front());
    };
    // A GPU takes about as long for few images as for many, and long to warm up.
    const bool is_cpu = rounds.device().is_cpu();
    std::int64_t images = is_cpu ? std::min(fewest_images(net), micro_batch) : micro_batch;
    auto times = round(images);
    if (!is_cpu || total_of(times) < warm_up_matters_s) times = round(images);
    while (images < micro_batch) {
        const std::int64_t more = std::min(2 * images, micro_batch);
        auto times_of_more = round(more);
        if (more < micro_batch &&
            tell_of_more(total_of(times), total_of(times_of_more), patience.enough_s)) {
            for (std::size_t i = 0; i < times.size(); ++i)
                times[i] =
                    times_of_micro_batch(times[i], times_of_more[i], {images, more, micro_batch});
            return times;
        }
        times = std::move(times_of_more);
        images = more;
    }
    if (total_of(times) > patience.enough_s) return times;
    auto samples = rounds.no_samples();
    repeat(patience, [&] { rounds.take(micro_batch, samples); });
    return typical(samples.front());
}

WaysTimes times_of(const net::NetDescription& net, const planner::Workload& workload,
                   at::Device device) {
    const auto parts = timed_parts(net, workload);
    Patience patience = little;
    patience.enough_s /= static_cast<double>(parts.size());
    WaysTimes all;
    for (const Range layers : parts) {
        const net::NetDescription part = net::part_of(net, layers);
        // Ranks that normalise together have fewer each than one rank can normalise alone.
        const std::int64_t images = std::max(workload.micro_batch, fewest_images(part));
        LayerRounds rounds(ways_of(part, workload.kernels), workload.precision, device);
        const WaysTimes more = workload.kernels.automatic
                                   ? times_in_turns(rounds, images)
                                   : WaysTimes{times_in_short(rounds, part, images, patience)};
        all.resize(more.size());
        for (std::size_t way = 0; way < more.size(); ++way)
            all[way].insert(all[way].end(), more[way].begin(), more[way].end());
    }
    return all;
}

/// Seconds of the work on a net's input.
double input_seconds(const std::function<void(const at::Tensor&)>& work, const net::ImageShape& s,
                     const planner::Workload& workload, at::Device device) {
    const auto image =
        at::ones({workload.micro_batch, s.channels, s.height, s.width},
                 at::TensorOptions().dtype(nn::master_type(workload.precision)).device(device))
            .contiguous(at::MemoryFormat::ChannelsLast);
    const auto once = [&] { return seconds_of([&] { work(image); }, device); };
    (void)once();  // warms up
    Samples samples;
    repeat(brief, [&] { samples.add(once()); });
    return samples.typical();
}

}  // namespace

KernelTimings measured_timings(const planner::Workload& workload, at::Device device,
                               const InputWork& input_work) {
    KernelTimings timings;
    for (std::size_t n = 0; n < workload.nets.size(); ++n) {
        const net::NetDescription& net = workload.nets[n].description;
        auto ways = times_of(net, workload, device);
        if (n < input_work.size() && input_work[n]) {
            const double before = input_seconds(input_work[n], net.input, workload, device);
            for (auto& times : ways) times.front().forward_s += before;
        }
        timings.as_described.nets.push_back(ways.front());
        if (workload.kernels.automatic) timings.by_aten.nets.push_back(ways.back());
    }
    return timings;
}

}  // namespace civitas::profiling
