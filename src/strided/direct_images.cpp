// `down` and `up` as products of pixels themselves. Tiles multiply so fast that Winograd's
// transforms would take longer than what they save.
#include "direct_tiles.hpp"
#include "prefetch.hpp"
#include "scratch.hpp"
#include "simd_tiles.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace civitas::strided {
namespace {

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
          outputs_(outputs_of(direction, layout_)) {}

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
    /// So few that packed weights, of which fp32 has three parts, would be read seldom. Both ways
    /// have the same bits.
    [[nodiscard]] bool has_few_results() const {
        constexpr std::int64_t few = bf16_parts<T> == 1 ? 1024 : 2048;
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

    /// to: memory for the copy.
    [[nodiscard]] CopiedStrip copied(Strip strip, Word* to) const {
        layout_.copy(in_, strip, to);
        return {strip, std::min(layout_.rows(), results_.height - strip.row), to};
    }
    [[nodiscard]] Tiles tiles_of(std::span<const CopiedStrip> strips) const {
        return {layout_, window_, in_.height, strips};
    }

    /// Matrices of words x panel, of one tap after the other; panels `apart` words from each other.
    void pack(const Output& output, TapRange taps, Panels panels, Word* to,
              std::int64_t apart) const {
        for (std::int64_t i = 0; i < taps.count; ++i)
            weights_.pack(output.taps[static_cast<std::size_t>(taps.first + i)].kernel, panels,
                          to + i * weights_.tap_size(), apart);
    }

    void multiply(const Tiles& tiles, const Output& output, TapRange taps,
                  const PackedPanels& panels, float* sums) const {
        for (const TileGroup& group : tiles.groups()) {
            const auto steps =
                steps_of(output, taps, group.inside, weights_.words(), weights_.tap_size());
            multiply(group, steps, panels, {sums, tiles.size()},
                     taps.first == 0 ? Sum::begins : Sum::goes_on);
            sums += std::ssize(group.first) * rows_of_tile * panel;
        }
    }

    /// Products of tiles with panels, which lie `apart` from each other.
    struct PanelSums {
        float* first;
        std::int64_t apart;
    };

    /// Some tiles, whose rows lie in a cache, are multiplied by all panels.
    void multiply(const TileGroup& group, std::span<const simd::TileStep> steps,
                  const PackedPanels& panels, PanelSums sums, Sum sum) const {
        constexpr std::int64_t of_cache = std::int64_t{64} << 10;
        const std::int64_t pair =
            2 * rows_of_tile * bf16_parts<T> * lanes * std::max<std::int64_t>(std::ssize(steps), 1);
        const std::int64_t some = 2 * std::max(of_cache / pair, std::int64_t{1});
        const std::span<const Word* const> all(group.first);
        for (std::int64_t t = 0; t < std::ssize(all); t += some) {
            const auto few =
                all.subspan(static_cast<std::size_t>(t),
                            static_cast<std::size_t>(std::min(some, std::ssize(all) - t)));
            for (std::int64_t n = 0; n < panels.count; ++n)
                simd::multiply_steps<T>(
                    {few, layout_.apart(), layout_.part()},
                    {panels.first + n * panels.apart, panel, weights_.words() * panel}, steps,
                    sums.first + n * sums.apart + t * rows_of_tile * panel, sum);
        }
    }

    void write(const Tiles& tiles, const Output& output, std::int64_t n, const float* sums) const {
        for (const TileGroup& group : tiles.groups())
            for (const TileResults& results : group.results) {
                write_tile(results, output.to, n * panel, sums);
                sums += rows_of_tile * panel;
            }
    }

    /// The pixels of a tile's results, or null where there is none.
    void find(const TileResults& tile, Grid to, T* (&pixels)[rows_of_tile]) const {
        Result r = layout_.result(tile.number * rows_of_tile);
        T* const row = out_.pixel(tile.strip.image, to.row + to.step * tile.strip.row, to.column);
        const std::int64_t images = std::min(layout_.images(), out_.batch - tile.strip.image);
        const std::int64_t image_size = out_.height * out_.width * out_.channels;
        for (T*& pixel : pixels) {
            const bool there = r.column < results_.width && r.image < images;
            pixel =
                there ? row + r.image * image_size + to.step * r.column * out_.channels : nullptr;
            if (++r.image < layout_.images()) continue;
            r = {0, r.column + 1};
        }
    }

    /// A panel of channels.
    [[CIVITAS_VECTORS]] void write_tile(const TileResults& tile, Grid to, std::int64_t channel,
                                        const float* sums) const {
        T* pixels[rows_of_tile];
        find(tile, to, pixels);
        for (T* const pixel : pixels)
            if (pixel != nullptr) prefetch_lines<Access::write>(pixel + channel, panel);
        const __mmask16 left = lanes_from(channel, out_.channels);
        const __mmask16 right = lanes_from(channel + lanes, out_.channels);
        for (T* const pixel : pixels) {
            if (pixel != nullptr) {
                store(pixel + channel, left, _mm512_loadu_ps(sums));
                store(pixel + channel + lanes, right, _mm512_loadu_ps(sums + lanes));
            }
            sums += panel;
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
                    const std::array copy{copied(strip, words_of(memory))};
                    const Tiles tiles = tiles_of(copy);
                    const at::Tensor sums = scratch(tiles.size());
                    auto* const products = sums.mutable_data_ptr<float>();
                    for (std::int64_t n = 0; n < all_panels(); ++n) {
                        multiply(tiles, output_of(n), {0, taps()},
                                 {weights + n * panel_size(), 1, 0}, products);
                        write(tiles, output_of(n), n % panels, products);
                    }
                }
            });
    }

    /// All images are copied first. Then each thread has panels of its own, some at a time, and
    /// packs the weights of some taps just before they are multiplied: they never leave the cache.
    void by_weights() const {
        const at::Tensor copies = scratch(groups_of_images() * layout_.size() + layout_.beyond());
        std::vector<CopiedStrip> strips(static_cast<std::size_t>(groups_of_images()));
        at::parallel_for(0, groups_of_images(), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                strips[static_cast<std::size_t>(i)] =
                    copied({i * layout_.images(), 0}, words_of(copies) + i * layout_.size());
        });
        const Tiles tiles = tiles_of(strips);
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
                    multiply(tiles, output, range, {words_of(packed), panels.count, piece},
                             products);
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
