#pragma once
/// Weights as the right factor of products of tiles.
#include "passes.hpp"
#include "simd_tiles.hpp"

namespace civitas::strided {

/// Some panels of results' channels.
struct Panels {
    std::int64_t first, count;
};

/// Weights of `down`, summed over channels of the big image, or of `up`, over those of the small
/// one.
template <class T>
class TapWeights {
public:
    TapWeights(const T* weight, Channels channels, Direction direction)
        : weight_(weight), channels_(channels), direction_(direction) {}

    /// Of a tap and a part of its numbers: whole tiles.
    [[nodiscard]] std::int64_t words() const;
    [[nodiscard]] std::int64_t panels() const;
    /// Words of a packed tap, all parts.
    [[nodiscard]] std::int64_t tap_size() const { return bf16_parts<T> * words() * panel; }

    /// Writes a matrix of words x panel for each part and each of some panels, `apart` words from
    /// panel to panel; channels that are not there are zeros.
    void pack(KernelTap tap, Panels panels, Word* to, std::int64_t apart) const;

private:
    /// Those of a channel of the small image.
    [[nodiscard]] const T* at(KernelTap tap, std::int64_t small) const {
        return weight_ + ((small * kernel + tap.row) * kernel + tap.column) * channels_.big;
    }
    [[gnu::always_inline]] void prefetch(KernelTap tap, Pair smalls, Panels panels) const;
    void pack_down(KernelTap tap, std::int64_t first, Word* to) const;
    void pack_up(KernelTap tap, std::int64_t word, std::int64_t first, Word* to) const;

    const T* weight_;  ///< [small][row][column][big]
    Channels channels_;
    Direction direction_;
};

}  // namespace civitas::strided
