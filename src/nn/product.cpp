/// Convolutions between one pixel and an image of the kernel's size, as products of matrices. With
/// weights (C_point, C_image, k, k) of either kind, in channels-last memory a matrix M of C_point
/// rows and k k C_image columns, points P (B, C_point) and images I (B, k k C_image):
///   I = P M,   P = I M^T,   gradient of M = P^T I.
#include "layers.hpp"

#include "civitas/nn/parallel.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <algorithm>
#include <vector>

namespace civitas::nn {
namespace {

/// One row for each of the first dim.
at::Tensor as_matrix(const at::Tensor& t) {
    return t.permute({0, 2, 3, 1}).reshape({t.size(0), -1});
}

/// Whether as_matrix(t) is a view of memory, which can be written to as numbers of that type.
bool is_matrix_of(at::ScalarType type, const at::Tensor& t) {
    return t.scalar_type() == type && t.is_contiguous(at::MemoryFormat::ChannelsLast);
}

/// Rows of a matrix as images of `side` x `side` pixels, channels-last.
at::Tensor as_images(const at::Tensor& rows, std::int64_t side) {
    return rows.view({rows.size(0), side, side, -1}).permute({0, 3, 1, 2});
}

/// Writes a b to c. On a CPU by blocks of columns, each by one thread: libraries cut long sums by
/// the number of threads, and bits are to be the same with any.
void multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor c) {
    if (!a.is_cpu()) {
        at::mm_out(c, a, b);
        return;
    }
    constexpr std::int64_t of_block = std::int64_t{1} << 18;  // numbers that it reads or writes
    const std::int64_t columns = c.size(1);
    const std::int64_t width =
        std::clamp<std::int64_t>(of_block / (b.size(0) + c.size(0)), 1, columns);
    one_thread_each(at::divup(columns, width), [&](std::int64_t i) {
        const std::int64_t begin = i * width, some = std::min(width, columns - begin);
        at::Tensor block = c.narrow(1, begin, some);
        at::mm_out(block, a, b.narrow(1, begin, some));
    });
}
at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
    at::Tensor c = at::empty({a.size(0), b.size(1)}, a.options());
    multiply(a, b, c);
    return c;
}

class ProductLayer : public Layer {
public:
    ProductLayer(const net::ConvolutionGeometry& geometry, bool transposed,
                 const at::Tensor& weight)
        : transposed_(transposed), kernel_(geometry.kernel), weight_(weight) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {transposed_ ? to_images(x) : to_points(x), {{x}, {}}};
    }
    /// Sample by sample: bits of a product's row depend on how many there are.
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        std::vector<at::Tensor> samples = x.split(1);
        for (at::Tensor& sample : samples)
            sample = transposed_ ? to_images(sample) : to_points(sample);
        return at::cat(samples);
    }
    [[nodiscard]] bool evaluates_each() const override { return true; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& /*saved*/) const override {
        return transposed_ ? to_points(gy) : to_images(gy);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved_and_gy; }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        const auto& x = saved.tensors[0];
        const auto points = as_matrix(transposed_ ? x : gy);
        const auto images = as_matrix(transposed_ ? gy : x);
        if (is_matrix_of(points.scalar_type(), leaf[0]))
            multiply(points.t(), images, as_matrix(leaf[0]));
        else
            leaf[0].copy_(as_images(product(points.t(), images), kernel_));
    }

private:
    [[nodiscard]] at::Tensor to_images(const at::Tensor& points) const {
        return as_images(product(as_matrix(points), as_matrix(weight_)), kernel_);
    }
    [[nodiscard]] at::Tensor to_points(const at::Tensor& images) const {
        return as_images(product(as_matrix(images), as_matrix(weight_).t()), 1);
    }

    bool transposed_;
    std::int64_t kernel_;
    at::Tensor weight_;
};

}  // namespace

std::unique_ptr<Layer> make_product(const net::ConvolutionGeometry& geometry, bool transposed,
                                    const at::Tensor& weight) {
    return std::make_unique<ProductLayer>(geometry, transposed, weight);
}

}  // namespace civitas::nn
