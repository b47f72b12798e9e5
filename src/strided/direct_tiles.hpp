#pragma once
/// Tiles of results of strips, and the taps that they read.
#include "direct_strip.hpp"
#include "direct_weights.hpp"

#include <span>
#include <vector>

namespace civitas::strided {

/// Results that the same taps make: all of `down`, or those of a phase of `up`.
struct Output {
    /// A place of the kernel, and the one of the window that it meets.
    struct Tap {
        KernelTap kernel;
        std::int64_t row;     ///< of the window
        std::int64_t offset;  ///< in the copy of a strip
    };
    std::vector<Tap> taps;
    Grid to;
};
[[nodiscard]] std::vector<Output> outputs_of(Direction direction, const StripLayout& layout);

/// The taps of an output that are multiplied together.
struct TapRange {
    std::int64_t first, count;
};

/// Where the results of a tile are: in a row of some images from the first one on.
struct TileResults {
    Strip strip;
    std::int64_t number;  ///< in the row
};

/// Tiles whose windows have the same rows in the image; what is outside need not be multiplied.
struct TileGroup {
    Range inside;                    ///< rows of windows
    std::vector<const Word*> first;  ///< words, of each tile
    std::vector<TileResults> results;
};

/// Some rows of results whose pixels are copied.
struct CopiedStrip {
    Strip strip;
    std::int64_t rows;
    const Word* copy;
};

/// The tiles of some strips. Those that would be alone in their group are together in one that
/// multiplies the zeros outside as well: two tiles at a time read each right factor once.
class Tiles {
public:
    /// pixels: rows of the image that is read.
    Tiles(const StripLayout& layout, Window window, std::int64_t pixels,
          std::span<const CopiedStrip> strips);

    [[nodiscard]] const std::vector<TileGroup>& groups() const { return groups_; }
    /// Numbers of the products with a panel, group after group.
    [[nodiscard]] std::int64_t size() const { return count_ * rows_of_tile * panel; }

private:
    TileGroup& group_of(Range inside);
    void add(const StripLayout& layout, Window window, std::int64_t pixels,
             const CopiedStrip& strip);
    void join_lone(Window window);

    std::int64_t count_ = 0;
    std::vector<TileGroup> groups_;
};

/// The steps of the taps of a range that lie inside. A tap has `words` words of each part of the
/// left factor, and `tap_size` of the right one.
[[nodiscard]] std::vector<simd::TileStep> steps_of(const Output& output, TapRange taps,
                                                   Range inside, std::int64_t words,
                                                   std::int64_t tap_size);

}  // namespace civitas::strided
