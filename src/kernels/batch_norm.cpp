#include "civitas/kernels/batch_norm.hpp"

#include "channel_blocks.hpp"
#include "simd.hpp"

#include "civitas/gpu/batch_norm.hpp"

#include <ATen/ops/empty.h>
#include <cmath>
#include <utility>
#include <vector>

namespace civitas::kernels {
namespace {

constexpr auto nhwc = at::MemoryFormat::ChannelsLast;

/// Two numbers per channel.
struct Totals {
    std::vector<double> first, second;
    explicit Totals(std::int64_t channels)
        : first(static_cast<std::size_t>(channels)), second(first.size()) {}
};

/// Mean and sum of squared deviations of every channel.
template <class T>
Totals moments_of(const at::Tensor& x, const ChannelBlocks& blocks) {
    const BlockSums sums(blocks, 3);
    const auto of = [&](std::int64_t block) {
        return MomentSums{sums.row(block, 0), sums.row(block, 1), sums.row(block, 2)};
    };
    blocks.for_each([&](std::int64_t block) { sum_moments(blocks.run<T>(x, block), of(block)); });
    Totals all(blocks.channels());
    auto& [mean, squares] = all;
    blocks.for_folds([&](std::int64_t block, std::int64_t position, double n) {
        const auto [pivot, deviation, square] = of(block);
        for (std::size_t c = 0; c < mean.size(); ++c, ++position)
            mean[c] += n * pivot[position] + deviation[position];
    });
    for (auto& m : mean) m /= blocks.values_per_channel();
    blocks.for_folds([&](std::int64_t block, std::int64_t position, double n) {
        const auto [pivot, deviation, square] = of(block);
        for (std::size_t c = 0; c < mean.size(); ++c, ++position) {
            const double apart = pivot[position] - mean[c];
            squares[c] += square[position] + apart * (2 * deviation[position] + n * apart);
        }
    });
    return all;
}

/// Sums over every channel of g and of g (x - mean).
template <class T>
Totals gradients_of(const at::Tensor& x, const at::Tensor& gy, const ChannelBlocks& blocks,
                    const NormalisingRow& norm) {
    const BlockSums sums(blocks, 2);
    blocks.for_each([&](std::int64_t block) {
        sum_gradients(blocks.run<T>(x, block), gy.const_data_ptr<T>() + blocks.begin(block), norm,
                      {sums.row(block, 0), sums.row(block, 1)});
    });
    Totals all(blocks.channels());
    blocks.for_folds([&](std::int64_t block, std::int64_t position, double /*n*/) {
        const float *gradient = sums.row(block, 0), *deviation = sums.row(block, 1);
        for (std::size_t c = 0; c < all.first.size(); ++c, ++position) {
            all.first[c] += gradient[position];
            all.second[c] += deviation[position];
        }
    });
    return all;
}

/// Numbers of channels, repeated along a row.
class PositionRows {
public:
    PositionRows(const ChannelBlocks& blocks, std::int64_t rows)
        : channels_(blocks.channels()), rows_(at::empty({rows, blocks.width()}, at::kFloat)) {}
    /// Row `which`: `of(c)` for channel c.
    template <class Of>
    const float* fill(std::int64_t which, Of of) {
        float* row = rows_.mutable_data_ptr<float>() + which * rows_.size(1);
        for (std::int64_t c = 0; c < channels_; ++c) row[c] = of(c);
        for (std::int64_t i = channels_; i < rows_.size(1); ++i) row[i] = row[i - channels_];
        return row;
    }

private:
    std::int64_t channels_;
    at::Tensor rows_;
};

/// The same numbers in F and B, so that z has the same sign.
NormalisingRow normalising_row(PositionRows& rows, const BatchMoments& moments,
                               const BatchNorm& norm) {
    const auto* mean = moments.mean_C.const_data_ptr<float>();
    const auto* inverse_deviation = moments.inverse_deviation_C.const_data_ptr<float>();
    const auto* weight = norm.weight_C.const_data_ptr<float>();
    const auto* bias = norm.bias_C.const_data_ptr<float>();
    return {rows.fill(0, [&](std::int64_t c) { return mean[c]; }),
            rows.fill(1, [&](std::int64_t c) { return inverse_deviation[c] * weight[c]; }),
            rows.fill(2, [&](std::int64_t c) { return bias[c]; }), static_cast<float>(norm.slope)};
}

/// fp32 of `of(c)` for every channel c.
template <class Of>
at::Tensor per_channel(std::int64_t channels, Of of) {
    at::Tensor values_C = at::empty({channels}, at::kFloat);
    auto* values = values_C.mutable_data_ptr<float>();
    for (std::int64_t c = 0; c < channels; ++c)
        values[c] = static_cast<float>(of(static_cast<std::size_t>(c)));
    return values_C;
}

void require_layout(const at::Tensor& x, const BatchNorm& norm) {
    ensure(supports_batch_norm(x) && x.is_contiguous(nhwc), "images are channels-last");
    for (const auto& p : {norm.weight_C, norm.bias_C})
        ensure(p.scalar_type() == at::kFloat && p.is_contiguous() && p.numel() == x.size(1),
               "one fp32 parameter per channel");
}

gpu::Normalising for_gpu(const BatchNorm& norm) {
    return {norm.weight_C, norm.bias_C, norm.epsilon, norm.slope};
}

}  // namespace

bool supports_batch_norm(const at::Tensor& x) {
    return (x.is_cpu() || x.is_cuda()) && x.dim() == 4 &&
           (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}

BatchNormForward batch_norm_forward(const at::Tensor& x, const BatchNorm& norm) {
    require_layout(x, norm);
    BatchNormForward result{at::empty(x.sizes(), x.options(), nhwc), {}, {}};
    if (x.is_cuda()) {
        const gpu::Moments made = gpu::batch_norm_forward(x, for_gpu(norm), result.y);
        return {result.y, {made.mean_C, made.inverse_deviation_C}, made.unbiased_variance_C};
    }
    const ChannelBlocks blocks(x);
    const double n = blocks.values_per_channel();
    ensure(n > 1, "a variance needs two values");
    with_type(x.scalar_type(), [&]<class T>(T) {
        const auto [mean, squares] = moments_of<T>(x, blocks);
        result.moments = {per_channel(x.size(1), [&](std::size_t c) { return mean[c]; }),
                          per_channel(x.size(1), [&](std::size_t c) {
                              return 1 / std::sqrt(squares[c] / n + norm.epsilon);
                          })};
        result.unbiased_variance_C =
            per_channel(x.size(1), [&](std::size_t c) { return squares[c] / (n - 1); });
        PositionRows rows(blocks, 3);
        const auto row = normalising_row(rows, result.moments, norm);
        auto* y = result.y.mutable_data_ptr<T>();
        blocks.for_each([&](std::int64_t block) {
            normalise(blocks.run<T>(x, block), row, y + blocks.begin(block));
        });
    });
    return result;
}

BatchNormBackward batch_norm_backward(const at::Tensor& gy, const at::Tensor& x,
                                      const BatchMoments& moments, const BatchNorm& norm,
                                      at::Tensor gx) {
    if (!gx.defined()) gx = at::empty(x.sizes(), x.options(), nhwc);
    require_layout(x, norm);
    for (const auto& g : {gy, gx})
        ensure(
            g.sizes() == x.sizes() && g.scalar_type() == x.scalar_type() && g.is_contiguous(nhwc),
            "a gradient is as its value");
    if (x.is_cuda()) {
        const auto made = gpu::batch_norm_backward(gy, x, moments.mean_C,
                                                   moments.inverse_deviation_C, for_gpu(norm), gx);
        return {std::move(gx), made.weight_C, made.bias_C};
    }
    const ChannelBlocks blocks(x);
    const double n = blocks.values_per_channel();
    BatchNormBackward result{std::move(gx), {}, {}};
    const auto* d = moments.inverse_deviation_C.const_data_ptr<float>();
    with_type(x.scalar_type(), [&]<class T>(T) {
        PositionRows rows(blocks, 5);
        const auto row = normalising_row(rows, moments, norm);
        const auto [gradient, deviation] = gradients_of<T>(x, gy, blocks, row);
        result.g_weight_C =
            per_channel(x.size(1), [&](std::size_t c) { return d[c] * deviation[c]; });
        result.g_bias_C = per_channel(x.size(1), [&](std::size_t c) { return gradient[c]; });
        const auto mean_of = [&](const std::vector<double>& sums, std::int64_t c, double factor) {
            return static_cast<float>(sums[static_cast<std::size_t>(c)] * factor / n);
        };
        const GradientMeans means{
            rows.fill(3, [&](std::int64_t c) { return mean_of(gradient, c, 1); }),
            rows.fill(4, [&](std::int64_t c) {
                return mean_of(deviation, c, static_cast<double>(d[c]) * d[c]);
            })};
        const auto* from = gy.const_data_ptr<T>();
        auto* to = result.gx.mutable_data_ptr<T>();
        blocks.for_each([&](std::int64_t block) {
            const auto begin = blocks.begin(block);
            normalise_gradients(blocks.run<T>(x, block), from + begin, row, means, to + begin);
        });
    });
    return result;
}

}  // namespace civitas::kernels
