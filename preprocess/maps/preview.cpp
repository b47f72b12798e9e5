#include "preview.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/report/sheet.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::maps {
namespace {

constexpr std::int64_t most_tiles = 64;
constexpr int columns = 8;
constexpr int tile_pixels = 128;

}  // namespace

Preview::Preview(const comm::Communicator& ranks, std::int64_t tiles,
                 const data::StoreHeader& header)
    : ranks_(ranks), tiles_(tiles), side_(header.pixels), content_(header.content) {}

void Preview::take(std::span<const data::PackedTile> mine) {
    const std::int64_t all = std::min(tiles_, most_tiles);
    const auto counts = ranks_.all_gather(std::ssize(mine));
    for (Rank from{0}; index(from) < ranks_.size(); from = Rank{index(from) + 1}) {
        const Range here{seen_, counts[static_cast<std::size_t>(index(from))]};
        std::vector<std::uint8_t> some;
        bool any = false;
        for (; shown_ < all && shown_ * tiles_ / all < here.end(); ++shown_) {
            any = true;
            if (from != ranks_.rank()) continue;
            const auto tile = static_cast<std::size_t>(shown_ * tiles_ / all - here.begin);
            const auto small = data::small_tile(mine[tile], side_, content_);
            some.insert(some.end(), small.bytes.begin(), small.bytes.end());
        }
        if (any) some = ranks_.transfer(std::move(some), from);
        bytes_.insert(bytes_.end(), some.begin(), some.end());
        seen_ = here.end();
    }
}

void Preview::write(const std::filesystem::path& file, io::Replace replace) const {
    comm::agree(ranks_, [&] {
        if (ranks_.is_root()) io::write_png(file, sheet(), replace);
    });
}

io::Picture Preview::sheet() const {
    const auto area = static_cast<double>(bytes_.size()) / static_cast<double>(shown_) /
                      static_cast<double>(data::channels_of(content_));
    const auto draw =
        content_ == data::Content::rgb ? report::sheet_of_images : report::sheet_of_classes;
    return draw(bytes_, std::lround(std::sqrt(area)), columns, tile_pixels);
}

}  // namespace civitas::maps
