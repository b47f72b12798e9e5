#include "civitas/profiling/measure.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/median.hpp"
#include "civitas/net/own_kernel.hpp"
#include "civitas/optim/model_state.hpp"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <algorithm>
#include <functional>

namespace civitas::profiling {
namespace {

/// How often, and for how long, something is done; the first time warms up.
struct Patience {
    int fewest, most;
    double enough_s;
};
/// Of the timings of a net by which steps are foreseen and stages cut: a start shall not wait long.
constexpr Patience little{2, 12, 0.6};
/// Of one piece of work alone.
constexpr Patience brief{3, 12, 0.1};
/// Of the timings of one part of a net that choose the kernels of a whole run.
constexpr Patience much{4, 40, 0.5};

void wait_for(at::Device device) {
    if (device.is_cpu()) return;
    const c10::impl::VirtualGuardImpl stream(device.type());
    stream.synchronizeStream(stream.getStream(device));
}

/// Neighbouring layers with weights and sums of their own, made in one or several ways.
class TimedLayers {
public:
    /// `ways`: descriptions of the same layers, which differ in their kernels.
    TimedLayers(const std::vector<net::NetDescription>& ways, net::Precision precision,
                at::Device device)
        : net_(ways.front()),
          layout_(net::parameters_of(net_)),
          weights_(layout_, nn::master_type(precision), device),
          compute_(layout_, nn::compute_type(precision), device),
          leaves_(layout_, nn::master_type(precision), device),
          buffers_(net_, nn::master_type(precision), device),
          slots_(net::slots_of_layers(net_)) {
        const auto* compute = precision == net::Precision::bf16 ? &compute_ : nullptr;
        for (const auto& way : ways)
            ways_.push_back(
                optim::make_layers(way, {optim::views_of(net_, weights_, compute), buffers_}, {}));
        for (const auto* arena : {&weights_, &compute_}) arena->flat().fill_(0.01);
    }
    [[nodiscard]] std::size_t ways() const { return ways_.size(); }
    [[nodiscard]] std::size_t size() const { return net_.layers.size(); }
    [[nodiscard]] const nn::Layer& layer(std::size_t way, std::size_t number) const {
        return *ways_[way][number];
    }
    [[nodiscard]] std::span<const at::Tensor> leaves(std::size_t number) const {
        return std::span(leaves_.views())
            .subspan(static_cast<std::size_t>(slots_[number].begin),
                     static_cast<std::size_t>(slots_[number].count));
    }

private:
    net::NetDescription net_;
    net::ArenaLayout layout_;
    optim::Arena weights_, compute_, leaves_;
    optim::Buffers buffers_;
    std::vector<std::vector<std::unique_ptr<nn::Layer>>> ways_;
    std::vector<Range> slots_;
};

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

/// What one piece of work took, time after time.
class Samples {
public:
    void add(double seconds) { seconds_.push_back(seconds); }
    /// The median of all but the first, which warms up: a step has quick and slow visits, too.
    [[nodiscard]] double typical() const {
        return seconds_.empty() ? 0 : median({seconds_.begin() + 1, seconds_.end()});
    }
    /// For comparisons: what disturbs one round is not in the other's way.
    [[nodiscard]] double least() const {
        return seconds_.empty() ? 0 : *std::min_element(seconds_.begin() + 1, seconds_.end());
    }

private:
    std::vector<double> seconds_;
};

struct SamplesOfLayer {
    Samples forward, backward_input, backward_weights;
    [[nodiscard]] planner::LayerTimes typical() const {
        return {forward.typical(), backward_input.typical(), backward_weights.typical()};
    }
    [[nodiscard]] planner::LayerTimes least() const {
        return {forward.least(), backward_input.least(), backward_weights.least()};
    }
};
using SamplesOfLayers = std::vector<SamplesOfLayer>;

class Timing {
public:
    explicit Timing(at::Device device) : device_(device) {}

    void take(Samples& samples, const std::function<void()>& work) const {
        const Stopwatch watch;
        work();
        wait_for(device_);
        samples.add(watch.seconds());
    }
    /// Round by round, until it is enough.
    static void repeat(const Patience& patience, const std::function<void()>& round) {
        const auto [fewest, most, enough_s] = patience;
        const Stopwatch all;
        for (int done = 0; done < fewest || (done < most && all.seconds() < enough_s); ++done)
            round();
    }

private:
    at::Device device_;
};

/// Channels-last normals. They are drawn in the order of their memory, in which libtorch draws many
/// times as fast.
at::Tensor random_images(std::int64_t batch, const net::ImageShape& s, at::TensorOptions options) {
    return at::randn({batch, s.height, s.width, s.channels}, options).permute({0, 3, 1, 2});
}

/// What goes into neighbouring layers, and the gradient of what comes out of them.
struct TimedImages {
    at::Tensor x, gy;
};

/// Times layers in the order of a step, so that each finds caches as its neighbours leave them.
void take_round(const TimedLayers& layers, std::size_t way, const TimedImages& images,
                SamplesOfLayers& samples) {
    const Timing timing(images.x.device());
    std::vector<nn::Forward> results;
    for (std::size_t i = 0; i < layers.size(); ++i)
        timing.take(samples[i].forward, [&] {
            results.push_back(layers.layer(way, i).forward(i == 0 ? images.x : results[i - 1].y));
        });
    at::Tensor gy = images.gy.clone();  // which layers may write to
    for (std::size_t i = layers.size(); i-- > 0;) {
        const nn::Layer& layer = layers.layer(way, i);
        nn::SavedTensors& saved = results[i].saved;
        at::Tensor gx;
        timing.take(samples[i].backward_input, [&] { gx = layer.backward_input(gy, saved); });
        if (!layers.leaves(i).empty())
            timing.take(samples[i].backward_weights,
                        [&] { layer.backward_weights(gy, saved, layers.leaves(i)); });
        gy = gx;
    }
}

/// In turns, way by way.
std::vector<SamplesOfLayers> samples_of(const TimedLayers& layers, const TimedImages& images,
                                        const Patience& patience) {
    std::vector<SamplesOfLayers> samples(layers.ways(), SamplesOfLayers(layers.size()));
    Timing::repeat(patience, [&] {
        for (std::size_t way = 0; way < layers.ways(); ++way)
            take_round(layers, way, images, samples[way]);
    });
    return samples;
}

/// A part of a net as a workload's kernels compute it, and where those are to be chosen as ATen
/// does, too.
std::vector<net::NetDescription> ways_of(const net::NetDescription& part,
                                         const net::KernelOptions& kernels) {
    std::vector<net::NetDescription> ways{net::with_kernels(part, kernels)};
    if (kernels.automatic) ways.push_back(net::by_aten(part));
    return ways;
}

/// Of each way, layer by layer.
std::vector<SamplesOfLayers> samples_of(const net::NetDescription& net,
                                        const planner::Workload& workload, at::Device device) {
    const net::Precision precision = workload.precision;
    const auto options = at::TensorOptions().dtype(nn::compute_type(precision)).device(device);
    const auto parts = timed_parts(net, workload);
    Patience patience = workload.kernels.automatic ? much : little;
    if (!workload.kernels.automatic) patience.enough_s /= static_cast<double>(parts.size());
    std::vector<SamplesOfLayers> all;
    for (const Range layers : parts) {
        const net::NetDescription part = net::part_of(net, layers);
        const auto images_of = [&](const net::ImageShape& s) {
            return random_images(workload.micro_batch, s, options);
        };
        const auto more =
            samples_of(TimedLayers(ways_of(part, workload.kernels), precision, device),
                       {images_of(part.input), images_of(net::shapes_of(part).back())}, patience);
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
    const Timing timing(device);
    Samples samples;
    Timing::repeat(brief, [&] { timing.take(samples, [&] { work(image); }); });
    return samples.typical();
}

}  // namespace

KernelTimings measured_timings(const planner::Workload& workload, at::Device device,
                               const InputWork& input_work) {
    const bool in_turns = workload.kernels.automatic;
    const auto times_of = [&](const SamplesOfLayers& samples, double before) {
        std::vector<planner::LayerTimes> times;
        for (const SamplesOfLayer& of : samples)
            times.push_back(in_turns ? of.least() : of.typical());
        times.front().forward_s += before;
        return times;
    };
    KernelTimings timings;
    for (std::size_t n = 0; n < workload.nets.size(); ++n) {
        const net::NetDescription& net = workload.nets[n].description;
        const auto ways = samples_of(net, workload, device);
        const double before = n < input_work.size() && input_work[n]
                                  ? input_seconds(input_work[n], net.input, workload, device)
                                  : 0;
        timings.as_described.nets.push_back(times_of(ways.front(), before));
        if (in_turns) timings.by_aten.nets.push_back(times_of(ways.back(), before));
    }
    return timings;
}

double measured_memory_rate(at::Device device) {
    constexpr std::int64_t elements = std::int64_t{8} << 20;  // beyond caches
    const auto a = at::ones({elements}, at::TensorOptions().device(device));
    const auto b = at::ones({elements}, at::TensorOptions().device(device));
    const Timing timing(device);
    Samples samples;
    Timing::repeat(brief, [&] { timing.take(samples, [&] { a.add_(b); }); });
    return static_cast<double>(3 * a.nbytes()) / samples.typical();
}

double measured_peak(net::Precision precision, at::Device device) {
    constexpr std::int64_t channels = 256;
    constexpr std::int64_t side = 32;
    constexpr std::int64_t images = 4;
    const auto options = at::TensorOptions().dtype(nn::compute_type(precision)).device(device);
    const auto x = at::ones({images, channels, side, side}, options)
                       .contiguous(at::MemoryFormat::ChannelsLast);
    const auto w =
        at::ones({channels, channels, 3, 3}, options).contiguous(at::MemoryFormat::ChannelsLast);
    const double flops = 2.0 * 9 * channels * channels * side * side * images;
    double best = 0;
    for (int round = 0; round < 4; ++round) {
        const Stopwatch watch;
        (void)at::conv2d(x, w, {}, 1, 1).sum().item();
        best = std::max(best, flops / watch.seconds());
    }
    return best;
}

}  // namespace civitas::profiling
