// Kernels of our own beside ATen's, layer by layer, in alternating rounds: medians, GF/s of the
// direct arithmetic, and the share of what the machine could do (its fastest products or its
// memory, measured in the same run) for the arithmetic and bytes that the kernel needs.
//
//   OMP_NUM_THREADS=1 bench_kernels [ROUNDS] [JSON] [PART_OF_A_NAME]
#include "strided/winograd_tiling.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/median.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/net/description.hpp"
#include "civitas/simd/instruction_set.hpp"
#include "civitas/simd/product.hpp"
#include "civitas/strided/convolution.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <vector>

namespace {

using namespace civitas;

double seconds_of(const std::function<void()>& work) {
    const Stopwatch watch;
    work();
    return watch.seconds();
}

/// What all threads can do: products per type, and bytes read and written.
struct Machine {
    double fp32 = 0, bf16 = 0;  ///< operations a second
    double bytes = 0;           ///< a second
    [[nodiscard]] double operations(at::ScalarType type) const {
        return type == at::kFloat ? fp32 : bf16;
    }
};

template <class T>
double product_peak() {
    constexpr std::int64_t rows = 96, words = 128, times = 2000;
    const simd::Product multiply = simd::product_here<T>();
    double best = 0;
    for (int round = 0; round < 10; ++round) {
        const double s = seconds_of([&] {
            const int threads = at::get_num_threads();
            at::parallel_for(0, threads, 1, [&](std::int64_t /*begin*/, std::int64_t /*end*/) {
                const at::Tensor memory = at::zeros({(rows + simd::panel) * words});
                const at::Tensor c = at::empty({rows * simd::panel});
                const auto* const a = static_cast<const simd::Word*>(memory.const_data_ptr());
                for (int i = 0; i < times; ++i)
                    multiply(rows, {a, words, 1}, a + rows * words, words,
                             c.mutable_data_ptr<float>(), simd::Sum::begins);
            });
        });
        const double numbers = static_cast<double>(words) * simd::numbers_per_word<T>;
        best =
            std::max(best, 2.0 * rows * simd::panel * numbers * times * at::get_num_threads() / s);
    }
    return best;
}

Machine measure_machine() {
    const at::Tensor from = at::randn({std::int64_t{32} << 20}), to = at::empty_like(from);
    double best = 1e9;
    for (int round = 0; round < 10; ++round)
        best = std::min(best, seconds_of([&] { to.copy_(from); }));
    const double bytes = 2.0 * static_cast<double>(from.nbytes()) / best;
    const double bf16 = strided::supports(at::kBFloat16) ? product_peak<c10::BFloat16>() : 0;
    constexpr double products_of_parts = 6;  // as simd::multiply_steps adds them
    const double by_parts = simd::has_amx() ? bf16 / products_of_parts : 0;
    return {std::max(product_peak<float>(), by_parts), bf16, bytes};
}

/// Something that two ways compute.
struct Row {
    std::string layer, pass;
    at::ScalarType type = at::kFloat;
    std::int64_t batch = 0;
    double operations = 0;         ///< of the direct arithmetic
    double operations_needed = 0;  ///< of ours
    double bytes_needed = 0;       ///< by either: what is read and written once
    std::function<void()> ours, aten;
};

/// F, B and W of a layer as the operations on its big and its small image.
struct Layer {
    std::string name;
    bool transposed;
    at::ScalarType type;
    at::Tensor big, small, weight, leaf;
};

Layer layer_of(const std::string& name, bool transposed, at::ScalarType type,
               const net::ConvolutionGeometry& g, std::int64_t batch, const net::ImageShape& in) {
    const auto random = [&](at::IntArrayRef sizes) {
        return at::randn(sizes).to(type).contiguous(at::MemoryFormat::ChannelsLast);
    };
    const std::int64_t h = transposed ? in.height : in.height / 2;
    const std::int64_t w = transposed ? in.width : in.width / 2;
    const std::int64_t small = transposed ? g.in : g.out, big = transposed ? g.out : g.in;
    Layer layer{name,
                transposed,
                type,
                random({batch, big, 2 * h, 2 * w}),
                random({batch, small, h, w}),
                random({small, big, 4, 4}),
                {}};
    layer.leaf = at::empty_like(layer.weight, at::kFloat);
    return layer;
}

void aten_backward(const Layer& l, bool input) {
    const auto& x = l.transposed ? l.small : l.big;
    const auto& gy = l.transposed ? l.big : l.small;
    const auto result = at::convolution_backward(gy, x, l.weight, {}, {2, 2}, {1, 1}, {1, 1},
                                                 l.transposed, {0, 0}, 1, {input, !input, false});
    if (!input) l.leaf.copy_(std::get<1>(result));
}

/// Of the products of the direct arithmetic.
double share_needed(const Layer& l, bool up) {
    using namespace strided;
    const Extent e{l.small.size(2), l.small.size(3)};
    const int m = up ? with_type(l.type, [&](auto t) { return size_of_patches_up<decltype(t)>(e); })
                     : size_of_patches(e);
    constexpr int taps = 4;  // of the kernel of a phase
    return static_cast<double>(patches_of(m, e) * points_of(m)) /
           static_cast<double>(e.height * e.width * taps);
}

Row strided_row(Layer& l, const std::string& pass) {
    const double pixels =
        static_cast<double>(l.small.numel()) / static_cast<double>(l.small.size(1));
    const double direct = 2.0 * pixels * static_cast<double>(l.weight.numel());
    const double images = static_cast<double>(l.big.nbytes() + l.small.nbytes());
    const double weights = static_cast<double>(pass == "W" ? l.leaf.nbytes() : l.weight.nbytes());
    const bool down = (pass == "F") != l.transposed;
    const double needed = simd::has_amx() ? direct : direct * share_needed(l, pass != "W" && !down);
    Row row{l.name, pass, l.type, l.big.size(0), direct, needed, images + weights, {}, {}};
    if (pass == "W") {
        row.ours = [&l] { strided::weight_gradient(l.big, l.small, l.leaf); };
    } else if (down) {
        row.ours = [&l] { (void)strided::down(l.big, l.weight); };
    } else {
        row.ours = [&l] { (void)strided::up(l.small, l.weight); };
    }
    row.aten = [&l, pass] {
        if (pass == "F")
            (void)at::convolution(l.transposed ? l.small : l.big, l.weight, {}, {2, 2}, {1, 1},
                                  {1, 1}, l.transposed, {0, 0}, 1);
        else
            aten_backward(l, pass == "B");
    };
    return row;
}

class Table {
public:
    Table(int rounds, const std::string& json) : rounds_(rounds), machine_(measure_machine()) {
        if (!json.empty()) json_.open(json);
        std::cout << at::get_num_threads() << " threads: " << machine_.fp32 / 1e9 << " GF/s fp32, "
                  << machine_.bf16 / 1e9 << " GF/s bf16, " << machine_.bytes / 1e9 << " GB/s\n";
        json_ << "{\"threads\": " << at::get_num_threads() << ", \"fp32\": " << machine_.fp32
              << ", \"bf16\": " << machine_.bf16 << ", \"bytes\": " << machine_.bytes
              << ", \"rows\": [";
        std::cout << "layer                      type batch pass   ours ms  ATen ms  ratio  GF/s  "
                     "share\n";
    }
    ~Table() { json_ << "]}\n"; }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    void add(const Row& row) {
        std::vector<double> ours, aten;
        for (int round = 0; round <= rounds_; ++round) {
            ours.push_back(seconds_of(row.ours));
            aten.push_back(seconds_of(row.aten));
            if (round > 0) continue;  // memory and plans are there only now
            ours.clear(), aten.clear();
        }
        print(row, median(ours), median(aten));
    }

private:
    void print(const Row& row, double ours, double aten) {
        const double least = std::max(row.operations_needed / machine_.operations(row.type),
                                      row.bytes_needed / machine_.bytes);
        const char* type = row.type == at::kFloat ? "fp32" : "bf16";
        std::cout << std::left << std::setw(26) << row.layer << ' ' << type << std::right
                  << std::setw(6) << row.batch << std::setw(5) << row.pass << std::fixed
                  << std::setprecision(2) << std::setw(10) << 1e3 * ours << std::setw(9)
                  << 1e3 * aten << std::setw(7) << aten / ours << std::setprecision(0)
                  << std::setw(6) << row.operations / ours / 1e9 << std::setprecision(2)
                  << std::setw(7) << least / ours << std::endl;
        json_ << (first_ ? "" : ", ") << "{\"layer\": \"" << row.layer << "\", \"type\": \"" << type
              << "\", \"batch\": " << row.batch << ", \"pass\": \"" << row.pass
              << "\", \"ours_s\": " << ours << ", \"aten_s\": " << aten
              << ", \"share\": " << least / ours << "}";
        first_ = false;
    }

    int rounds_;
    Machine machine_;
    std::ofstream json_;
    bool first_ = true;
};

/// F, B and W of every convolution of kernel 4, stride 2 and padding 1 of a net.
void strided_rows(Table& table, const std::string& prefix, const net::NetDescription& net,
                  std::int64_t batch, at::ScalarType type, const std::string& part) {
    net::ImageShape shape = net.input;
    for (const auto& layer : net.layers) {
        const auto in = std::exchange(shape, net::output_of(layer, shape));
        const auto* direct = std::get_if<net::Convolution>(&layer.kind);
        const auto* transposed = std::get_if<net::TransposedConvolution>(&layer.kind);
        if (direct == nullptr && transposed == nullptr) continue;
        const net::ConvolutionGeometry& g =
            direct != nullptr ? static_cast<net::ConvolutionGeometry>(*direct)
                              : static_cast<net::ConvolutionGeometry>(*transposed);
        const auto name = text(prefix, ' ', g.in, "->", g.out, ' ', in.height, "->", shape.height);
        if (g.stride != 2 || name.find(part) == std::string::npos) continue;
        Layer l = layer_of(name, transposed != nullptr, type, g, batch, in);
        for (const char* pass : {"F", "B", "W"}) table.add(strided_row(l, pass));
    }
}

}  // namespace

int main(int argc, char** argv) {
    environment::prepare_process();
    Table table(argc > 1 ? std::atoi(argv[1]) : 7, argc > 2 ? argv[2] : "");
    const std::string part = argc > 3 ? argv[3] : "";
    for (const auto type : {at::kBFloat16, at::kFloat}) {
        if (!strided::supports(type)) continue;
        for (const std::int64_t batch : {8, 16}) {
            for (const char* name : {"dcgan-64", "dcgan-256"}) {
                const auto gan = net::dcgan(name, 3, {});
                strided_rows(table, text(name, " G"), gan.generator, batch, type, part);
                strided_rows(table, text(name, " D"), gan.discriminator, batch, type, part);
            }
        }
    }
    return 0;
}
