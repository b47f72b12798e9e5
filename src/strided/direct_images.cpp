// `down` and `up` as products of pixels themselves. Tiles multiply so fast that Winograd's
// transforms would take longer than what they save, and nothing is rounded but the results.
#include "direct_strip.hpp"
#include "direct_weights.hpp"
#include "scratch.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <span>
#include <vector>

namespace civitas::strided {
namespace {

using simd::TileStep;

/// Results that the same taps make: all of `down`, or those of a phase of `up`.
struct Output {
    std::vector<KernelTap> kernel_taps;
    std::vector<std::int64_t> offsets;  ///< in the copy of a strip, of each tap
    Grid to;

    void add(KernelTap tap, std::int64_t offset) {
        kernel_taps.push_back(tap);
        offsets.push_back(offset);
    }
};

std::vector<Output> outputs_of(Direction direction, const StripLayout& layout) {
    if (direction == Direction::down) {
        Output all{{}, {}, {0, 0, 1}};
        for (std::int64_t y = 0; y < kernel; ++y)
            for (std::int64_t x = 0; x < kernel; ++x) all.add({y, x}, layout.tap(y, x));
        return {all};
    }
    // Row 2i+p of the big image reads row i+p+y-1 of the small one by row 3-p-2y of the kernel.
    std::vector<Output> made;
    for (int phase = 0; phase < phases; ++phase) {
        const std::int64_t p = row_phase(phase), q = column_phase(phase);
        Output one{{}, {}, {p, q, 2}};
        for (std::int64_t y = 0; y < 2; ++y)
            for (std::int64_t x = 0; x < 2; ++x)
                one.add({3 - p - 2 * y, 3 - q - 2 * x}, layout.tap(p + y, q + x));
        made.push_back(one);
    }
    return made;
}

/// Strips whose copies are multiplied together, and where tiles of these begin: as many of each.
struct Tiles {
    std::vector<Strip> strips;
    std::vector<const Word*> first;

    [[nodiscard]] std::int64_t of_strip() const { return std::ssize(first) / std::ssize(strips); }
    /// Numbers of the products with a panel.
    [[nodiscard]] std::int64_t size() const { return std::ssize(first) * rows_of_tile * panel; }
};

/// The taps of an output that are multiplied together.
struct TapRange {
    std::int64_t first, count;
};

/// Packed panels, `apart` words from each other.
struct PackedPanels {
    const Word* first;
    std::int64_t count, apart;
};

template <class T>
class DirectImages {
public:
    DirectImages(Direction direction, Image<const T> in, const T* weight, Image<T> out)
        : in_(in),
          out_(out),
          results_(direction == Direction::down ? out.extent() : in.extent()),
          weights_(weight, channels_of(direction, in, out), direction),
          window_(direction == Direction::down ? window_of_down : window_of_up),
          layout_(window_, {rows_of_strip(), results_.width}, pixel_words()),
          outputs_(outputs_of(direction, layout_)),
          places_(layout_.results()) {}

    void all() const {
        if (has_few_results())
            by_weights();
        else
            by_strips();
    }

private:
    static Channels channels_of(Direction direction, const Image<const T>& in,
                                const Image<T>& out) {
        if (direction == Direction::down) return {out.channels, in.channels};
        return {in.channels, out.channels};
    }
    /// So few that packed weights would be read seldom. Both ways have the same bits.
    [[nodiscard]] bool has_few_results() const {
        constexpr std::int64_t few = 512;
        return out_.batch * results_.height * results_.width <= few;
    }
    [[nodiscard]] std::int64_t taps() const { return std::int64_t{kernel} * kernel / outputs(); }
    [[nodiscard]] PixelWords pixel_words() const { return {bf16_parts<T>, weights_.words()}; }
    [[nodiscard]] std::int64_t panel_size() const { return taps() * weights_.tap_size(); }
    [[nodiscard]] std::int64_t outputs() const { return window_.step == 1 ? phases : 1; }
    [[nodiscard]] std::int64_t all_panels() const { return outputs() * weights_.panels(); }

    /// Of few results images are one strip each. Others are cut so that a copy leaves room in a
    /// cache for the weights, or, where these are too many, for a panel of them.
    [[nodiscard]] std::int64_t rows_of_strip() const {
        constexpr std::int64_t kilobyte = 1024 / sizeof(Word);
        if (has_few_results()) return results_.height;
        const bool weights_fit = all_panels() * panel_size() <= 1024 * kilobyte;
        const std::int64_t most = (weights_fit ? 256 : 896) * kilobyte;
        const std::int64_t width = results_.width * StripLayout::images_for(results_.width);
        const std::int64_t row = window_.step * window_.step * width * pixel_words().all();
        const std::int64_t rows = std::clamp(most / row, std::int64_t{1}, results_.height);
        return divide_up(results_.height, divide_up(results_.height, rows));
    }

    [[nodiscard]] std::int64_t groups_of_images() const {
        return divide_up(out_.batch, layout_.images());
    }

    void add_tiles(Strip strip, const Word* copy, Tiles& to) const {
        to.strips.push_back(strip);
        const std::int64_t rows = std::min(layout_.rows(), results_.height - strip.row);
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t i = 0; i < layout_.tiles_of_row(); ++i)
                to.first.push_back(copy + layout_.tile(row, i));
    }

    /// Matrices of words x panel, of one tap after the other; panels `apart` words from each other.
    void pack(const Output& output, TapRange taps, Panels panels, Word* to,
              std::int64_t apart) const {
        for (std::int64_t i = 0; i < taps.count; ++i)
            weights_.pack(output.kernel_taps[static_cast<std::size_t>(taps.first + i)], panels,
                          to + i * weights_.tap_size(), apart);
    }

    /// Along the taps, whose weights follow each other.
    [[nodiscard]] std::vector<TileStep> steps_of(const Output& output, TapRange taps) const {
        std::vector<TileStep> made;
        for (std::int64_t i = 0; i < taps.count; ++i)
            for (std::int64_t k = 0; k < weights_.words(); k += lanes)
                made.push_back({output.offsets[static_cast<std::size_t>(taps.first + i)] + k,
                                i * weights_.tap_size() + k * panel});
        return made;
    }

    /// Some tiles, whose rows lie in a cache, are multiplied by all panels.
    void multiply(const Tiles& tiles, std::span<const TileStep> steps, const PackedPanels& panels,
                  float* sums, Sum sum) const {
        constexpr std::int64_t of_cache = std::int64_t{64} << 10;
        const std::int64_t pair = 2 * rows_of_tile * bf16_parts<T> * lanes * std::ssize(steps);
        const std::int64_t some = 2 * std::max(of_cache / pair, std::int64_t{1});
        const std::span<const Word* const> all(tiles.first);
        for (std::int64_t t = 0; t < std::ssize(all); t += some) {
            const auto few =
                all.subspan(static_cast<std::size_t>(t),
                            static_cast<std::size_t>(std::min(some, std::ssize(all) - t)));
            for (std::int64_t n = 0; n < panels.count; ++n)
                simd::multiply_steps<T>(
                    {few, layout_.apart(), layout_.part()},
                    {panels.first + n * panels.apart, panel, weights_.words() * panel}, steps,
                    sums + n * tiles.size() + t * rows_of_tile * panel, sum);
        }
    }

    void write(const Tiles& tiles, const Output& output, std::int64_t n, const float* sums) const {
        for (const Strip& strip : tiles.strips) {
            write_strip(strip, tiles.of_strip() * rows_of_tile, output.to, n * panel, sums);
            sums += tiles.of_strip() * rows_of_tile * panel;
        }
    }

    /// A panel of channels of so many results.
    [[CIVITAS_AVX512]] void write_strip(Strip strip, std::int64_t count, Grid to,
                                        std::int64_t channel, const float* sums) const {
        const __mmask16 left = lanes_from(channel, out_.channels);
        const __mmask16 right = lanes_from(channel + lanes, out_.channels);
        for (std::int64_t i = 0; i < count; ++i, sums += panel) {
            const Result& r = places_[static_cast<std::size_t>(i)];
            const std::int64_t image = strip.image + r.image;
            if (r.image < 0 || image >= out_.batch) continue;
            T* const pixel = out_.pixel(image, to.row + to.step * (strip.row + r.row),
                                        to.column + to.step * r.column);
            store(pixel + channel, left, _mm512_loadu_ps(sums));
            store(pixel + channel + lanes, right, _mm512_loadu_ps(sums + lanes));
        }
    }

    /// All weights are packed first, then each thread has strips of its own.
    void by_strips() const {
        const std::int64_t panels = weights_.panels();
        const auto output_of = [&](std::int64_t i) -> const Output& {
            return outputs_[static_cast<std::size_t>(i / panels)];
        };
        const at::Tensor packed = scratch(all_panels() * panel_size());
        Word* const weights = words_of(packed);
        at::parallel_for(0, all_panels(), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                pack(output_of(i), {0, taps()}, {i % panels, 1}, weights + i * panel_size(), 0);
        });
        const std::int64_t strips = divide_up(results_.height, layout_.rows());
        at::parallel_for(
            0, groups_of_images() * strips, 1, [&](std::int64_t begin, std::int64_t end) {
                const at::Tensor memory = scratch(layout_.size() + layout_.beyond());
                for (std::int64_t i = begin; i < end; ++i) {
                    const Strip strip{i / strips * layout_.images(), i % strips * layout_.rows()};
                    layout_.copy(in_, strip, words_of(memory));
                    Tiles tiles;
                    add_tiles(strip, words_of(memory), tiles);
                    const at::Tensor sums = scratch(tiles.size());
                    auto* const products = sums.mutable_data_ptr<float>();
                    for (std::int64_t n = 0; n < all_panels(); ++n) {
                        multiply(tiles, steps_of(output_of(n), {0, taps()}),
                                 {weights + n * panel_size(), 1, 0}, products, Sum::begins);
                        write(tiles, output_of(n), n % panels, products);
                    }
                }
            });
    }

    /// All images are copied first. Then each thread has panels of its own, some at a time, and
    /// packs the weights of some taps just before they are multiplied: they never leave the cache.
    void by_weights() const {
        const at::Tensor copies = scratch(groups_of_images() * layout_.size() + layout_.beyond());
        Tiles tiles;
        for (std::int64_t i = 0; i < groups_of_images(); ++i)
            add_tiles({i * layout_.images(), 0}, words_of(copies) + i * layout_.size(), tiles);
        at::parallel_for(0, groups_of_images(), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                layout_.copy(in_, {i * layout_.images(), 0}, words_of(copies) + i * layout_.size());
        });
        constexpr std::int64_t most_words = 512;
        constexpr std::int64_t most_packed = (bf16_parts<T> + 1) * (std::int64_t{32} << 10);
        const std::int64_t some_taps =
            std::clamp(most_words / weights_.words(), std::int64_t{1}, taps());
        const std::int64_t piece = some_taps * weights_.tap_size();
        const std::int64_t of_thread = divide_up(all_panels(), at::get_num_threads());
        const std::int64_t some = std::clamp(most_packed / piece, std::int64_t{1},
                                             std::min(of_thread, weights_.panels()));
        const std::int64_t groups = divide_up(weights_.panels(), some);
        at::parallel_for(0, outputs() * groups, 1, [&](std::int64_t begin, std::int64_t end) {
            const at::Tensor packed = scratch(some * piece), sums = scratch(some * tiles.size());
            for (std::int64_t g = begin; g < end; ++g) {
                const Output& output = outputs_[static_cast<std::size_t>(g / groups)];
                const std::int64_t first = g % groups * some;
                const Panels panels{first, std::min(some, weights_.panels() - first)};
                auto* const products = sums.mutable_data_ptr<float>();
                for (std::int64_t tap = 0; tap < taps(); tap += some_taps) {
                    const TapRange range{tap, std::min(some_taps, taps() - tap)};
                    pack(output, range, panels, words_of(packed), piece);
                    multiply(tiles, steps_of(output, range),
                             {words_of(packed), panels.count, piece}, products,
                             tap == 0 ? Sum::begins : Sum::goes_on);
                }
                for (std::int64_t n = 0; n < panels.count; ++n)
                    write(tiles, output, first + n, products + n * tiles.size());
            }
        });
    }

    Image<const T> in_;
    Image<T> out_;
    Extent results_;  ///< of an image, or of a phase of it
    TapWeights<T> weights_;
    Window window_;
    StripLayout layout_;
    std::vector<Output> outputs_;
    std::vector<Result> places_;
};

}  // namespace

template <class T>
void run_direct_down(Image<const T> big, const T* weight, Image<T> small) {
    DirectImages<T>(Direction::down, big, weight, small).all();
}

template <class T>
void run_direct_up(Image<const T> small, const T* weight, Image<T> big) {
    DirectImages<T>(Direction::up, small, weight, big).all();
}

using c10::BFloat16;
template void run_direct_down<float>(Image<const float>, const float*, Image<float>);
template void run_direct_down<BFloat16>(Image<const BFloat16>, const BFloat16*, Image<BFloat16>);
template void run_direct_up<float>(Image<const float>, const float*, Image<float>);
template void run_direct_up<BFloat16>(Image<const BFloat16>, const BFloat16*, Image<BFloat16>);

}  // namespace civitas::strided
