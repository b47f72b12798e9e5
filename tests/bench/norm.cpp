// Kernels beside their ATen twins: milliseconds of each, round by round in turns, minimum and
// median, and their ratio.
//
//   bench_norm [THREADS] [ROUNDS] [BATCH] [norm|thin]
#include "civitas/base/clock.hpp"
#include "civitas/kernels/batch_norm.hpp"
#include "civitas/kernels/thin.hpp"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/leaky_relu_backward.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <malloc.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace civitas;
using Work = std::function<void()>;

struct Options {
    int rounds = 15;
    std::int64_t batch = 8;
};

/// Of one thread its time on a processor, which neighbours disturb less; of more the clock's.
double seconds_of(const Work& work) {
    const Stopwatch watch;
    const auto begin = std::clock();
    work();
    if (at::get_num_threads() > 1) return watch.seconds();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

void compare(const std::string& name, int rounds, const Work& aten, const Work& ours) {
    std::vector<double> a, b;
    aten(), ours();
    for (int i = 0; i < rounds; ++i) {
        a.push_back(seconds_of(aten));
        b.push_back(seconds_of(ours));
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const std::size_t middle = a.size() / 2;
    std::printf("%-44s ATen %8.3f (%8.3f) ours %8.3f (%8.3f) ms  ratio %5.2f (%5.2f)\n",
                name.c_str(), 1e3 * a[0], 1e3 * a[middle], 1e3 * b[0], 1e3 * b[middle], a[0] / b[0],
                a[middle] / b[middle]);
    std::fflush(stdout);
}

at::Tensor images(at::IntArrayRef shape, at::ScalarType type) {
    return at::randn(shape).to(type).contiguous(at::MemoryFormat::ChannelsLast);
}

void batch_norm_rows(const Options& o, at::ScalarType type, std::int64_t channels,
                     std::int64_t side, double slope) {
    const auto x = images({o.batch, channels, side, side}, type);
    const auto gy = images(x.sizes(), type);
    const auto weight = at::ones({channels}), bias = at::zeros({channels});
    const auto mean = at::zeros({channels}), variance = at::zeros({channels});
    const kernels::BatchNorm norm{weight, bias, 1e-5, slope};
    const auto aten_forward = [&] {
        auto made = at::native_batch_norm(x, weight, bias, mean, variance, true, 1, 1e-5);
        auto y = at::leaky_relu(std::get<0>(made), slope);
        return std::tuple(y, std::get<1>(made), std::get<2>(made));
    };
    const auto name = std::string(type == at::kFloat ? "fp32" : "bf16") + " batch norm " +
                      std::to_string(channels) + " x " + std::to_string(side) + "^2";
    compare(
        name + " F", o.rounds, [&] { (void)aten_forward(); },
        [&] { (void)kernels::batch_norm_forward(x, norm); });
    const auto [y, m, d] = aten_forward();
    const auto kept = kernels::batch_norm_forward(x, norm);
    compare(
        name + " B", o.rounds,
        [&, y = y, m = m, d = d] {
            const auto g = at::leaky_relu_backward(gy, y, slope, true);
            (void)at::native_batch_norm_backward(g, x, weight, {}, {}, m, d, true, 1e-5,
                                                 {true, true, true});
        },
        [&] { (void)kernels::batch_norm_backward(gy, x, kept.moments, norm); });
}

void thin_rows(const Options& o, at::ScalarType type, std::int64_t channels, std::int64_t side) {
    const auto small = images({o.batch, channels, side, side}, type);
    const auto big = images({o.batch, 3, 2 * side, 2 * side}, type);
    const auto weight = images({channels, 3, 4, 4}, type);
    const auto leaf = images(weight.sizes(), at::kFloat);
    const std::vector<std::int64_t> stride{2, 2}, one{1, 1}, none{0, 0};
    const auto backward = [&](std::array<bool, 3> wanted) {
        return at::convolution_backward(small, big, weight, {}, stride, one, one, false, none, 1,
                                        wanted);
    };
    const auto name = std::string(type == at::kFloat ? "fp32" : "bf16") + " thin " +
                      std::to_string(channels) + " x " + std::to_string(side) + "^2";
    compare(
        name + " up (F)", o.rounds,
        [&] { (void)at::convolution(small, weight, {}, stride, one, one, true, none, 1); },
        [&] { (void)kernels::thin::up(small, weight); });
    compare(
        name + " up (B)", o.rounds,
        [&] {
            (void)backward({true, false, false});
        },
        [&] { (void)kernels::thin::up(small, weight); });
    compare(
        name + " W", o.rounds,
        [&] {
            leaf.copy_(std::get<1>(backward({false, true, false})));
        },
        [&] { kernels::thin::weight_gradient(big, small, leaf); });
}

}  // namespace

int main(int argc, char** argv) {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2147483647);
    mallopt(M_TOP_PAD, 256 << 20);
    const at::NoGradGuard no_gradient;
    at::set_num_threads(argc > 1 ? std::atoi(argv[1]) : 1);
    const Options o{argc > 2 ? std::atoi(argv[2]) : 15, argc > 3 ? std::atoi(argv[3]) : 8};
    const std::string only = argc > 4 ? argv[4] : "";
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        if (only.empty() || only == "norm") {
            for (const auto& [channels, side] :
                 {std::pair{1024, 4}, {1024, 8}, {512, 16}, {256, 32}, {128, 64}, {64, 128}})
                batch_norm_rows(o, type, channels, side, 0);
            batch_norm_rows(o, type, 512, 8, 0.2);
        }
        if (only.empty() || only == "thin")
            for (const auto& [channels, side] : {std::pair{64, 32}, {64, 128}, {32, 256}})
                thin_rows(o, type, channels, side);
    }
}
