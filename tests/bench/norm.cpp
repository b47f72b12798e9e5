// Layers by kernels of our own beside those by ATen: F, B and W of the layers at both ends of a
// pair of nets and of its batch norms. Prints milliseconds of each, round by round in turns (least,
// and median), and their ratio. Of one thread its time on a processor, which neighbours disturb
// less; of more the clock's.
//
//   bench_norm [THREADS] [ROUNDS] [BATCH] [NET]
#include "civitas/base/clock.hpp"
#include "civitas/net/fuse.hpp"
#include "civitas/net/own_kernel.hpp"
#include "civitas/nn/instructions.hpp"
#include "civitas/nn/layer.hpp"
#include "civitas/updates/adam.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
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
constexpr auto nhwc = at::MemoryFormat::ChannelsLast;

struct Options {
    int threads = 1;
    int rounds = 15;
    std::int64_t batch = 8;
};

double seconds_of(const Work& work, int threads) {
    const Stopwatch watch;
    const auto begin = std::clock();
    work();
    return threads > 1 ? watch.seconds()
                       : static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

struct Pair {
    Work aten, ours;
};

void compare(const std::string& name, const Options& o, const Pair& work) {
    std::vector<double> aten, ours;
    work.aten(), work.ours();
    for (int round = 0; round < o.rounds; ++round) {
        aten.push_back(seconds_of(work.aten, o.threads));
        ours.push_back(seconds_of(work.ours, o.threads));
    }
    std::sort(aten.begin(), aten.end());
    std::sort(ours.begin(), ours.end());
    const std::size_t middle = aten.size() / 2;
    std::printf("%-34s ATen %8.3f (%8.3f)  ours %8.3f (%8.3f) ms  ratio %5.2f (%5.2f)\n",
                name.c_str(), 1e3 * aten[0], 1e3 * aten[middle], 1e3 * ours[0], 1e3 * ours[middle],
                aten[0] / ours[0], aten[middle] / ours[middle]);
    std::fflush(stdout);
}

at::Tensor images(at::IntArrayRef shape, at::ScalarType type) {
    const auto values = at::randn(shape).to(type);
    return shape.size() == 4 ? values.contiguous(nhwc) : values;
}

/// A layer with random numbers.
struct Made {
    std::unique_ptr<nn::Layer> layer;
    std::vector<at::Tensor> leaf;
};

Made make(const net::LayerDescription& described, at::ScalarType type) {
    nn::LayerViews views;
    std::vector<at::Tensor> leaf;
    for (const auto& p : net::parameters_of(described)) {
        views.parameters.push_back(images(p.shape, p.shape.size() == 4 ? type : at::kFloat));
        leaf.push_back(images(p.shape, at::kFloat));
    }
    for (const auto& b : net::buffers_of(described)) views.buffers.push_back(at::zeros(b.elements));
    return {nn::make_layer(described, views), leaf};
}

void layer_rows(const net::LayerDescription& described, net::ImageShape input,
                net::ImageShape output, at::ScalarType type, const Options& o) {
    const auto x = images({o.batch, input.channels, input.height, input.width}, type);
    const auto gy = images({o.batch, output.channels, output.height, output.width}, type);
    const auto name = std::string(type == at::kFloat ? "fp32 " : "bf16 ") + described.name + " " +
                      std::to_string(input.channels) + "-" + std::to_string(output.channels) + " " +
                      std::to_string(output.width) + "^2 ";
    net::LayerDescription by_aten = described;
    by_aten.kernels = {};
    const Made aten = make(by_aten, type);
    const Made ours = make(described, type);
    const auto pair = [&](auto work) {
        return Pair{[&, work] { work(aten); }, [&, work] { work(ours); }};
    };
    const auto backward = [&](const Made& made, bool weights) {
        auto saved = made.layer->forward(x).saved;
        return Work([&, weights, saved]() mutable {
            auto kept = saved;
            if (weights) return made.layer->backward_weights(gy, kept, made.leaf);
            (void)made.layer->backward_input(gy, kept);
        });
    };
    compare(name + "F", o, pair([&](const Made& made) { (void)made.layer->forward(x); }));
    compare(name + "B", o, {backward(aten, false), backward(ours, false)});
    if (ours.leaf.size() == 1) compare(name + "W", o, {backward(aten, true), backward(ours, true)});
}

/// Layers that are not convolutions between many channels and many.
bool compared(const net::LayerDescription& layer, net::ImageShape input, net::ImageShape output) {
    if (std::holds_alternative<net::BatchNormActivation>(layer.kind)) return true;
    if (std::holds_alternative<net::Tanh>(layer.kind)) return true;
    if (net::parameters_of(layer).empty()) return false;
    return std::min(input.channels, output.channels) <= 4 || input.width == 1 || output.width == 1;
}

/// The update of `elements` weights, in the blocks of optim::Optimizer.
void adam_row(std::int64_t elements, const Options& o) {
    constexpr std::int64_t block = std::int64_t{1} << 16;
    const auto random = [&] { return at::randn({elements}).abs_(); };
    const updates::UpdateArrays all{random(), random(), random(),
                                    random(), random(), random().to(at::kBFloat16)};
    const auto update = [&](auto by) {
        return [&, by] {
            at::parallel_for(0, elements / block, 1, [&](std::int64_t first, std::int64_t last) {
                for (std::int64_t i = first; i < last; ++i) {
                    const auto of = [&](const at::Tensor& t) {
                        return t.narrow(0, i * block, block);
                    };
                    by({of(all.weights), of(all.gradient), of(all.first), of(all.second),
                        of(all.mean), of(all.compute_copy)},
                       {2e-4, 0.5, 0.999, 1e-8, 0, 0.99, 5});
                }
            });
        };
    };
    compare("Adam of " + std::to_string(elements), o,
            {update(updates::adam_by_aten), update(updates::adam)});
}

}  // namespace

int main(int argc, char** argv) {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);  // no fresh memory for every tensor
    mallopt(M_TRIM_THRESHOLD, 2147483647);
    mallopt(M_TOP_PAD, 256 << 20);
    const Options o{argc > 1 ? std::atoi(argv[1]) : 1, argc > 2 ? std::atoi(argv[2]) : 15,
                    argc > 3 ? std::atoi(argv[3]) : 8};
    at::set_num_threads(o.threads);
    adam_row(std::int64_t{1} << 25, o);
    const auto gan = net::dcgan(argc > 4 ? argv[4] : "dcgan-256", 3);
    for (const auto type : {at::kFloat, at::kBFloat16})
        for (const auto* named : {&gan.generator, &gan.discriminator}) {
            net::KernelOptions options = net::parse_kernels("fast");
            options.host.instructions = nn::instructions_here();
            if (type == at::kBFloat16) options.host.precision = net::Precision::bf16;
            const auto net = net::fuse(net::with_kernels(*named, options));
            const auto shapes = net::shapes_of(net);
            for (std::size_t i = 0; i < net.layers.size(); ++i)
                if (compared(net.layers[i], shapes[i], shapes[i + 1]))
                    layer_rows(net.layers[i], shapes[i], shapes[i + 1], type, o);
        }
}
