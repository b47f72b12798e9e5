#include "civitas/kernels/augment.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/vectorised.hpp"
#include "civitas/random/stream.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <vector>

namespace civitas::kernels {
namespace {

using c10::BFloat16;

/// Columns of a row that an image has, which is moved to the right.
struct Columns {
    std::int64_t begin = 0, end = 0, right = 0;
};

/// Numbers that lie so many apart.
template <class T>
struct Row {
    T* first;
    std::int64_t step;
    [[nodiscard]] T& at(std::int64_t column) const { return first[column * step]; }
};

template <class Working, class From, class To>
CIVITAS_VECTOR_BODY void mix_row(Row<const From> from, Columns there, const float* noise,
                                 Working sigma, Row<To> to, std::int64_t width) {
    const auto noisy = [&](Working value, std::int64_t column) {
        to.at(column) = static_cast<To>(value + sigma * static_cast<Working>(noise[column]));
    };
    for (std::int64_t column = 0; column < there.begin; ++column) noisy(-1, column);
    for (std::int64_t column = there.begin; column < there.end; ++column)
        noisy(static_cast<Working>(from.at(column - there.right)), column);
    for (std::int64_t column = there.end; column < width; ++column) noisy(-1, column);
}

CIVITAS_VECTORISED void mix(Row<const float> from, Columns there, const float* noise, double sigma,
                            Row<float> to, std::int64_t width) {
    mix_row(from, there, noise, static_cast<float>(sigma), to, width);
}
CIVITAS_VECTORISED void mix(Row<const float> from, Columns there, const float* noise, double sigma,
                            Row<BFloat16> to, std::int64_t width) {
    mix_row(from, there, noise, static_cast<float>(sigma), to, width);
}
CIVITAS_VECTORISED void mix(Row<const BFloat16> from, Columns there, const float* noise,
                            double sigma, Row<BFloat16> to, std::int64_t width) {
    mix_row(from, there, noise, static_cast<float>(sigma), to, width);
}
CIVITAS_VECTORISED void mix(Row<const double> from, Columns there, const float* noise, double sigma,
                            Row<double> to, std::int64_t width) {
    mix_row(from, there, noise, sigma, to, width);
}

/// All images, some rows of one at a time.
template <class From, class To>
class Run {
public:
    Run(const at::Tensor& drawn_BN, double noise, const at::Tensor& x_BCHW,
        const at::Tensor& y_BCHW)
        : drawn_(drawn_BN), sigma_(noise), x_(x_BCHW), y_(y_BCHW) {}

    void all() const {
        const std::int64_t parts = (height() + rows_at_once - 1) / rows_at_once;
        at::parallel_for(0, x_.size(0) * parts, 1, [&](std::int64_t begin, std::int64_t end) {
            std::vector<float> noise(static_cast<std::size_t>(rows_at_once * width()));
            for (std::int64_t i = begin; i < end; ++i)
                for (std::int64_t channel = 0; channel < x_.size(1); ++channel)
                    mix_rows(i / parts, channel, i % parts * rows_at_once, noise);
        });
    }

private:
    static constexpr std::int64_t rows_at_once = 32;

    [[nodiscard]] std::int64_t height() const { return x_.size(2); }
    [[nodiscard]] std::int64_t width() const { return x_.size(3); }

    template <class T>
    [[nodiscard]] static Row<T> row_of(const at::Tensor& images, T* first, std::int64_t image,
                                       std::int64_t channel, std::int64_t row) {
        return {
            first + image * images.stride(0) + channel * images.stride(1) + row * images.stride(2),
            images.stride(3)};
    }

    /// Noise is numbered along the columns, rows and channels of an image.
    void mix_rows(std::int64_t image, std::int64_t channel, std::int64_t begin,
                  std::vector<float>& noise) const {
        const double* const drawn = drawn_.const_data_ptr<double>() + image * drawn_.stride(0);
        const auto down = static_cast<std::int64_t>(drawn[0]);
        const auto right = static_cast<std::int64_t>(drawn[1]);
        const std::int64_t rows = std::min(rows_at_once, height() - begin);
        if (sigma_ > 0) {
            Block words{};
            std::transform(drawn + 2, drawn + 2 + words.size(), words.begin(),
                           [](double word) { return static_cast<std::uint32_t>(word); });
            RandomStream(words).fast_normals(
                static_cast<std::uint64_t>((channel * height() + begin) * width()),
                std::span(noise).first(static_cast<std::size_t>(rows * width())));
        }
        for (std::int64_t row = begin; row < begin + rows; ++row) {
            const bool in_image = row - down >= 0 && row - down < height();
            const Columns there = in_image
                                      ? Columns{std::max<std::int64_t>(right, 0),
                                                width() + std::min<std::int64_t>(right, 0), right}
                                      : Columns{};
            const auto from =
                row_of(x_, x_.const_data_ptr<From>(), image, channel, in_image ? row - down : 0);
            mix(from, there, noise.data() + (row - begin) * width(), sigma_,
                row_of(y_, y_.mutable_data_ptr<To>(), image, channel, row), width());
        }
    }

    const at::Tensor& drawn_;
    double sigma_;
    const at::Tensor &x_, &y_;
};

}  // namespace

void augment(const at::Tensor& drawn_BN, double noise, const at::Tensor& x_BCHW,
             const at::Tensor& y_BCHW) {
    ensure(x_BCHW.sizes() == y_BCHW.sizes(), "images keep their shape");
    const at::ScalarType from = x_BCHW.scalar_type(), to = y_BCHW.scalar_type();
    ensure(from == to || from == at::kFloat, "images are of one type, or made of fp32");
    if (to == at::kDouble)
        Run<double, double>(drawn_BN, noise, x_BCHW, y_BCHW).all();
    else if (to == at::kFloat)
        Run<float, float>(drawn_BN, noise, x_BCHW, y_BCHW).all();
    else if (from == at::kFloat)
        Run<float, BFloat16>(drawn_BN, noise, x_BCHW, y_BCHW).all();
    else
        Run<BFloat16, BFloat16>(drawn_BN, noise, x_BCHW, y_BCHW).all();
}

}  // namespace civitas::kernels
