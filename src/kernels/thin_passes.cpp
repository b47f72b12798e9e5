#include "thin_passes.hpp"

#include "thin_gradient.hpp"
#include "thin_rows.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <vector>

namespace civitas::kernels::thin {
inline namespace CIVITAS_SET {
namespace {

/// The taps (ky, 0..3) of the pixels of row y.
struct TapsOfRow {
    std::int64_t y, ky;
};

/// Products of three neighbouring rows of the small image; those of a row outside it are zeros.
template <class T>
class ProductRows {
public:
    ProductRows(ImageRows<const T> small, const Word* weights, std::int64_t channels)
        : small_(small),
          weights_(weights),
          channels_(channels),
          products_(static_cast<std::size_t>(3 * length())) {}
    void compute(std::int64_t image, std::int64_t y) {
        const T* row = small_.row(image, y);
        float* to = at(y);
        if (row == nullptr) return void(std::fill_n(to, length(), 0.F));
        row_products<T>({row, small_.width, small_.channels}, weights_, to);
    }
    /// Of rows that were computed.
    [[nodiscard]] TapRows taps_of(TapsOfRow near, TapsOfRow far) {
        return {at(near.y) + taps_begin(near.ky, small_.width),
                at(far.y) + taps_begin(far.ky, small_.width), small_.width, channels_};
    }

private:
    [[nodiscard]] std::int64_t length() const { return panels * small_.width * panel; }
    [[nodiscard]] float* at(std::int64_t y) { return products_.data() + (y + 3) % 3 * length(); }
    ImageRows<const T> small_;
    const Word* weights_;
    std::int64_t channels_;  ///< of the big image
    std::vector<float> products_;
};

/// Rows 2y and 2y + 1 of the big image for all y of a strip.
template <class T>
void fill_strip(ProductRows<T>& products, ImageRows<T> big, const Strips& strips,
                std::int64_t strip) {
    const std::int64_t image = strips.image(strip), begin = strips.begin(strip);
    products.compute(image, begin - 1);
    products.compute(image, begin);
    for (std::int64_t y = begin; y < strips.end(strip); ++y) {
        products.compute(image, y + 1);
        add_taps<T>(products.taps_of({y, 1}, {y - 1, 3}), big.row(image, 2 * y));
        add_taps<T>(products.taps_of({y, 2}, {y + 1, 0}), big.row(image, 2 * y + 1));
    }
}

/// The big image.
template <class T>
void fill(const at::Tensor& small, const at::Tensor& weight, const at::Tensor& big) {
    const std::int64_t channels = weight.size(1);
    const std::int64_t words = divide_up(weight.size(0), numbers_per_word<T>);
    std::vector<Word> packed(static_cast<std::size_t>(panels * words * panel));
    pack_weights(weight.const_data_ptr<T>(), weight.size(0), channels, packed.data());
    const ImageRows<T> to = rows_to_write<T>(big);
    const Strips strips(small);
    at::parallel_for(0, strips.count(), 1, [&](std::int64_t first, std::int64_t last) {
        ProductRows<T> products(rows_of<T>(small), packed.data(), channels);
        for (std::int64_t strip = first; strip < last; ++strip)
            fill_strip(products, to, strips, strip);
    });
}

/// Gradients of all strips: (strips, elements of the weights).
template <class T>
at::Tensor gradients_of(const at::Tensor& big, const at::Tensor& small, const Strips& strips,
                        std::int64_t elements) {
    at::Tensor all = at::empty({strips.count(), elements}, at::kFloat);
    auto* gradients = all.mutable_data_ptr<float>();
    at::parallel_for(0, strips.count(), 1, [&](std::int64_t first, std::int64_t last) {
        StripGradient<T> gradient(rows_of<T>(small), rows_of<T>(big));
        for (std::int64_t strip = first; strip < last; ++strip)
            gradient.compute(strips.image(strip), strips.begin(strip), strips.end(strip),
                             gradients + strip * elements);
    });
    return all;
}

}  // namespace
}  // namespace CIVITAS_SET

template <class T>
Passes<T> passes_of(simd::CompiledFor) {
    return {fill<T>, gradients_of<T>};
}

template Passes<float> passes_of<float>(simd::CompiledFor);
template Passes<c10::BFloat16> passes_of<c10::BFloat16>(simd::CompiledFor);

}  // namespace civitas::kernels::thin
