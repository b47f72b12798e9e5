#include "direct_tiles.hpp"

#include <algorithm>
#include <utility>

namespace civitas::strided {

std::vector<Output> outputs_of(Direction direction, const StripLayout& layout) {
    if (direction == Direction::down) {
        Output all{{}, {0, 0, 1}};
        for (std::int64_t y = 0; y < kernel; ++y)
            for (std::int64_t x = 0; x < kernel; ++x)
                all.taps.push_back({{y, x}, y, layout.tap(y, x)});
        return {all};
    }
    // Row 2i+p of the big image reads row i+p+y-1 of the small one by row 3-p-2y of the kernel.
    std::vector<Output> made;
    for (int phase = 0; phase < phases; ++phase) {
        const std::int64_t p = row_phase(phase), q = column_phase(phase);
        Output one{{}, {p, q, 2}};
        for (std::int64_t y = 0; y < 2; ++y)
            for (std::int64_t x = 0; x < 2; ++x)
                one.taps.push_back(
                    {{3 - p - 2 * y, 3 - q - 2 * x}, p + y, layout.tap(p + y, q + x)});
        made.push_back(one);
    }
    return made;
}

Tiles::Tiles(const StripLayout& layout, Window window, std::int64_t pixels,
             std::span<const CopiedStrip> strips) {
    for (const CopiedStrip& strip : strips) add(layout, window, pixels, strip);
    join_lone(window);
}

TileGroup& Tiles::group_of(Range inside) {
    const auto found = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const TileGroup& group) { return group.inside == inside; });
    if (found != groups_.end()) return *found;
    return groups_.emplace_back(TileGroup{inside, {}, {}});
}

void Tiles::add(const StripLayout& layout, Window window, std::int64_t pixels,
                const CopiedStrip& strip) {
    for (std::int64_t row = 0; row < strip.rows; ++row) {
        const std::int64_t first = window.step * (strip.strip.row + row) - 1;
        TileGroup& group =
            group_of({std::max<std::int64_t>(-first, 0), std::min(window.span, pixels - first)});
        for (std::int64_t i = 0; i < layout.tiles_of_row(); ++i) {
            group.first.push_back(strip.copy + layout.tile(row, i));
            group.results.push_back({{strip.strip.image, strip.strip.row + row}, i});
        }
        count_ += layout.tiles_of_row();
    }
}

void Tiles::join_lone(Window window) {
    TileGroup joint{{0, window.span}, {}, {}};
    std::erase_if(groups_, [&](const TileGroup& group) {
        if (group.first.size() > 1) return false;
        joint.first.push_back(group.first.front());
        joint.results.push_back(group.results.front());
        return true;
    });
    if (!joint.first.empty()) groups_.push_back(std::move(joint));
}

std::vector<simd::TileStep> steps_of(const Output& output, TapRange taps, Range inside,
                                     std::int64_t words, std::int64_t tap_size) {
    std::vector<simd::TileStep> made;
    for (std::int64_t i = 0; i < taps.count; ++i) {
        const Output::Tap& tap = output.taps[static_cast<std::size_t>(taps.first + i)];
        if (tap.row < inside.begin || tap.row >= inside.end) continue;
        for (std::int64_t k = 0; k < words; k += lanes)
            made.push_back({tap.offset + k, i * tap_size + k * panel});
    }
    return made;
}

}  // namespace civitas::strided
