#include "civitas/profiling/rates.hpp"

#include "samples.hpp"

#include "civitas/nn/number_types.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/ones.h>
#include <algorithm>

namespace civitas::profiling {
namespace {

/// Operations per second on numbers of a type.
double peak_of(at::ScalarType type, at::Device device) {
    constexpr std::int64_t channels = 256;
    constexpr std::int64_t side = 32;
    constexpr Patience shortly{2, 8, 0.05};
    const std::int64_t images = device.is_cpu() ? at::get_num_threads() : 4;
    const auto options = at::TensorOptions().dtype(type).device(device);
    const auto x = at::ones({images, channels, side, side}, options)
                       .contiguous(at::MemoryFormat::ChannelsLast);
    const auto w =
        at::ones({channels, channels, 3, 3}, options).contiguous(at::MemoryFormat::ChannelsLast);
    const double operations =
        2.0 * 9 * channels * channels * side * side * static_cast<double>(images);
    double best = 0;
    repeat(shortly, [&] {
        const double seconds =
            seconds_of([&] { (void)at::conv2d(x, w, {}, 1, 1).sum().item(); }, device);
        best = std::max(best, operations / seconds);
    });
    return best;
}

}  // namespace

double measured_memory_rate(at::Device device) {
    constexpr std::int64_t elements = std::int64_t{8} << 20;  // beyond caches
    const auto a = at::ones({elements}, at::TensorOptions().device(device));
    const auto b = at::ones({elements}, at::TensorOptions().device(device));
    const auto once = [&] { return seconds_of([&] { a.add_(b); }, device); };
    (void)once();  // warms up
    Samples samples;
    repeat(brief, [&] { samples.add(once()); });
    return static_cast<double>(3 * a.nbytes()) / samples.typical();
}

double measured_peak(net::Precision precision, at::Device device) {
    const auto type = nn::compute_type(precision);
    const double peak = peak_of(type, device);
    // A processor without products of bf16 computes these in fp32, and by ATen slowly.
    return device.is_cpu() && type == at::kBFloat16 ? std::max(peak, peak_of(at::kFloat, device))
                                                    : peak;
}

}  // namespace civitas::profiling
