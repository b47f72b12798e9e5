#include "preprocess/maps/preview.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/report/sheet.hpp"

#include <algorithm>
#include <vector>

namespace civitas::maps {
namespace {

constexpr std::int64_t most_tiles = 64;
constexpr int columns = 8;
constexpr int tile_pixels = 128;

}  // namespace

void write_preview(const comm::Communicator& ranks, const std::filesystem::path& file,
                   std::span<const std::uint8_t> pixels, std::int64_t side) {
    const auto area = side * side;
    const auto own = static_cast<std::int64_t>(pixels.size()) / area;
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
        const auto begin = pixels.begin() + tile * area;
        chosen.insert(chosen.end(), begin, begin + area);
    }
    const auto all = ranks.all_gather(std::span<const std::uint8_t>(chosen));
    comm::agree(ranks, [&] {
        if (ranks.is_root())
            io::write_png(file, report::sheet_of_classes(all, side, columns, tile_pixels));
    });
}

}  // namespace civitas::maps
