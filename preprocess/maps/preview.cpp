#include "preprocess/maps/preview.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/report/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace civitas::maps {
namespace {

constexpr std::int64_t most_tiles = 64;
constexpr int columns = 8;
constexpr int tile_pixels = 128;

}  // namespace

void write_preview(const comm::Communicator& ranks, const std::filesystem::path& file,
                   std::span<const data::PackedTile> tiles, std::int64_t side,
                   io::Replace replace) {
    const auto own = std::ssize(tiles);
    const auto counts = ranks.all_gather(own);
    std::int64_t total = 0, before = 0;
    for (int r = 0; r < ranks.size(); ++r) {
        if (r < index(ranks.rank())) before += counts[static_cast<std::size_t>(r)];
        total += counts[static_cast<std::size_t>(r)];
    }
    const auto shown = std::min(total, most_tiles);
    std::vector<std::uint8_t> chosen;
    for (std::int64_t k = 0; k < shown; ++k) {
        const auto tile = k * total / shown - before;
        if (tile < 0 || tile >= own) continue;
        const auto small = data::small_tile(tiles[static_cast<std::size_t>(tile)], side);
        chosen.insert(chosen.end(), small.classes.begin(), small.classes.end());
    }
    std::vector<std::uint8_t> all;  // of the root
    for (Rank from{0}; index(from) < ranks.size(); from = Rank{index(from) + 1}) {
        const auto some =
            ranks.bring(from == ranks.rank() ? chosen : std::vector<std::uint8_t>{}, from);
        all.insert(all.end(), some.begin(), some.end());
    }
    comm::agree(ranks, [&] {
        if (!ranks.is_root()) return;
        const auto area = static_cast<double>(all.size()) / static_cast<double>(shown);
        io::write_png(
            file, report::sheet_of_classes(all, std::lround(std::sqrt(area)), columns, tile_pixels),
            replace);
    });
}

}  // namespace civitas::maps
