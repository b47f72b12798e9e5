#include "picture_passes.hpp"

#include "image_strips.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <functional>
#include <vector>

namespace civitas::kernels::picture {
inline namespace CIVITAS_SET {
namespace {

/// Weights (C_picture, C, 3, 3), channels-last.
template <class T>
struct Weights {
    explicit Weights(const at::Tensor& weight)
        : first(weight.const_data_ptr<T>()), picture(weight.size(0)), many(weight.size(1)) {}
    /// Of all channels, next to each other.
    [[nodiscard]] const T* at(std::int64_t channel, std::int64_t tap) const {
        return first + (channel * taps + tap) * many;
    }
    const T* first;
    std::int64_t picture, many;  ///< channels
};

/// For F: (channel, tap and channel of the picture) as words.
template <class T>
std::vector<Word> packed_by_channel(const Weights<T>& w) {
    std::vector<T> numbers(static_cast<std::size_t>(w.many * panel));
    for (std::int64_t k = 0; k < w.picture; ++k)
        for (std::int64_t tap = 0; tap < taps; ++tap)
            for (std::int64_t c = 0; c < w.many; ++c)
                numbers[static_cast<std::size_t>(c * panel + tap * w.picture + k)] =
                    w.at(k, tap)[c];
    std::vector<Word> packed(numbers.size() / numbers_per_word<T>);
    pack_rows<T>({numbers.data(), w.many, panel, panel}, packed.data());
    return packed;
}

/// Numbers from one patch to the next: words are whole.
template <class T>
std::int64_t patch_length(std::int64_t channels) {
    return round_up(taps * channels, numbers_per_word<T>);
}

/// For B: a panel of channels after the other, each (tap and channel of the picture, channel) as
/// words, in the order of patches.
template <class T>
std::vector<Word> packed_by_tap(const Weights<T>& w) {
    const std::int64_t rows = patch_length<T>(w.picture);
    std::vector<T> numbers(static_cast<std::size_t>(rows * w.many));
    for (std::int64_t k = 0; k < w.picture; ++k)
        for (std::int64_t tap = 0; tap < taps; ++tap)
            std::copy_n(w.at(k, tap), w.many,
                        numbers.data() + (mirrored(tap) * w.picture + k) * w.many);
    std::vector<Word> packed(numbers.size() / numbers_per_word<T>);
    const std::int64_t words = rows / numbers_per_word<T>;
    for (std::int64_t c = 0; c < w.many; c += panel)
        pack_rows<T>({numbers.data() + c, rows, panel, w.many}, packed.data() + c * words);
    return packed;
}

/// Products of three rows of pixels, one after the other, and of a row outside the image.
template <class T>
class ThreeRows {
public:
    ThreeRows(ImageRows<const T> x, const Word* weights)
        : x_(x), weights_(weights), products_(static_cast<std::size_t>(side * length())) {}
    void compute(std::int64_t image, std::int64_t y) {
        const T* row = x_.row(image, y);
        if (row == nullptr) return void(std::fill_n(at(y), length(), 0.F));
        const std::int64_t words = x_.channels / numbers_per_word<T>;
        multiply<T>(x_.width, {reinterpret_cast<const Word*>(row), words, 1}, weights_, words,
                    at(y));
    }
    [[nodiscard]] ProductRows around(std::int64_t y, std::int64_t channels) {
        return {{at(y - 1), at(y), at(y + 1)}, x_.width, channels};
    }

private:
    [[nodiscard]] std::int64_t length() const { return x_.width * panel; }
    [[nodiscard]] float* at(std::int64_t y) { return products_.data() + (y + 3) % 3 * length(); }
    ImageRows<const T> x_;
    const Word* weights_;
    std::vector<float> products_;
};

template <class T>
void write_pictures(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& y) {
    const std::vector<Word> packed = packed_by_channel(Weights<T>(weight));
    const ImageRows<T> to = rows_to_write<T>(y);
    const Strips strips(x);
    at::parallel_for(0, strips.count(), 1, [&](std::int64_t first, std::int64_t last) {
        ThreeRows<T> rows(rows_of<T>(x), packed.data());
        for (std::int64_t strip = first; strip < last; ++strip) {
            const std::int64_t image = strips.image(strip), begin = strips.begin(strip);
            rows.compute(image, begin - 1);
            rows.compute(image, begin);
            for (std::int64_t row = begin; row < strips.end(strip); ++row) {
                rows.compute(image, row + 1);
                add_taps(rows.around(row, to.channels), to.row(image, row));
            }
        }
    });
}

/// The patches of a row of pictures.
template <class T>
class PatchRow {
public:
    explicit PatchRow(ImageRows<const T> pictures)
        : pictures_(pictures),
          length_(patch_length<T>(pictures.channels)),
          numbers_(static_cast<std::size_t>(pictures.width * length_)) {}
    const T* of(std::int64_t image, std::int64_t y) {
        const PictureRows<T> around{
            {pictures_.row(image, y - 1), pictures_.row(image, y), pictures_.row(image, y + 1)},
            pictures_.width,
            pictures_.channels};
        write_patches(around, length_, numbers_.data());
        return numbers_.data();
    }
    [[nodiscard]] std::int64_t length() const { return length_; }

private:
    ImageRows<const T> pictures_;
    std::int64_t length_;
    std::vector<T> numbers_;
};

template <class T>
void write_input_gradients(const at::Tensor& gy, const at::Tensor& weight, const at::Tensor& gx) {
    const std::vector<Word> packed = packed_by_tap(Weights<T>(weight));
    const ImageRows<T> to = rows_to_write<T>(gx);
    const Strips strips(gx);
    at::parallel_for(0, strips.count(), 1, [&](std::int64_t first, std::int64_t last) {
        PatchRow<T> patches(rows_of<T>(gy));
        std::vector<float> products(static_cast<std::size_t>(to.width * panel));
        const std::int64_t words = patches.length() / numbers_per_word<T>;
        for (std::int64_t strip = first; strip < last; ++strip) {
            const std::int64_t image = strips.image(strip);
            for (std::int64_t y = strips.begin(strip); y < strips.end(strip); ++y) {
                const auto* row = reinterpret_cast<const Word*>(patches.of(image, y));
                for (std::int64_t c = 0; c < to.channels; c += panel) {
                    multiply<T>(to.width, {row, words, 1}, packed.data() + c * words, words,
                                products.data());
                    write_panel<T>(products.data(), {to.row(image, y) + c, to.width, to.channels});
                }
            }
        }
    });
}

/// The gradient of the weights from one strip: a panel of channels after the other, each (tap and
/// channel of the picture, channel), in the order of patches.
template <class T>
class StripGradient {
public:
    StripGradient(ImageRows<const T> gy, ImageRows<const T> x)
        : x_(x),
          rows_(taps * gy.channels),
          patches_(gy),
          words_(divide_up(x.width, numbers_per_word<T>)),
          left_(static_cast<std::size_t>(words_ * patches_.length())),
          right_(static_cast<std::size_t>(words_ * panel)),
          of_row_(static_cast<std::size_t>(rows_ * panel)) {}
    void add_row(std::int64_t image, std::int64_t y, float* gradient) {
        const std::int64_t length = patches_.length();
        pack_rows<T>({patches_.of(image, y), x_.width, length, length}, left_.data());
        for (std::int64_t c = 0; c < x_.channels; c += panel, gradient += rows_ * panel) {
            pack_rows<T>({x_.row(image, y) + c, x_.width, panel, x_.channels}, right_.data());
            multiply<T>(rows_, {left_.data(), 1, length}, right_.data(), words_, of_row_.data());
            // Of one long sum in fp32 too much would be lost.
            std::transform(of_row_.begin(), of_row_.end(), gradient, gradient, std::plus<>());
        }
    }

private:
    ImageRows<const T> x_;
    std::int64_t rows_;
    PatchRow<T> patches_;
    std::int64_t words_;
    std::vector<Word> left_, right_;
    std::vector<float> of_row_;
};

/// Gradients of all strips: (strips, elements of the weights).
template <class T>
at::Tensor gradients_of(const at::Tensor& gy, const at::Tensor& x, std::int64_t elements) {
    const Strips strips(x);
    at::Tensor all = at::empty({strips.count(), elements}, at::kFloat);
    auto* gradients = all.mutable_data_ptr<float>();
    at::parallel_for(0, strips.count(), 1, [&](std::int64_t first, std::int64_t last) {
        StripGradient<T> strip_gradient(rows_of<T>(gy), rows_of<T>(x));
        for (std::int64_t strip = first; strip < last; ++strip) {
            float* gradient = gradients + strip * elements;
            std::fill_n(gradient, elements, 0.F);
            for (std::int64_t y = strips.begin(strip); y < strips.end(strip); ++y)
                strip_gradient.add_row(strips.image(strip), y, gradient);
        }
    });
    return all;
}

}  // namespace
}  // namespace CIVITAS_SET

template <class T>
Passes<T> passes_of(simd::CompiledFor) {
    return {write_pictures<T>, write_input_gradients<T>, gradients_of<T>};
}

template Passes<float> passes_of<float>(simd::CompiledFor);
template Passes<c10::BFloat16> passes_of<c10::BFloat16>(simd::CompiledFor);

}  // namespace civitas::kernels::picture
