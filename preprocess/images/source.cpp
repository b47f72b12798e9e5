#include "source.hpp"

#include "civitas/comm/agree.hpp"
#include "preprocess/maps/bar.hpp"

#include <algorithm>

namespace civitas::images {
namespace {

/// What a rank has read of a batch.
struct Packed {
    std::vector<data::TileRecord> records;
    std::vector<data::PackedTile> tiles;
};

Packed packed(ImageSource& source, Range images, const data::StoreHeader& header) {
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(header.tile_bytes()));
    Packed some;
    for (std::int64_t i = images.begin; i < images.end(); ++i) {
        source.read(i, rgb);
        some.records.push_back(source.record(i));
        some.tiles.push_back(data::pack(rgb, header.content));
    }
    return some;
}

}  // namespace

void store_images(const comm::Communicator& ranks, ImageSource& source,
                  const data::StoreHeader& header, maps::TileSink& sink, Log& log) {
    const std::int64_t all = source.size();
    const std::int64_t most = ranks.size() * maps::most_tiles_held(header.pixels);
    sink.begin(header, all);
    maps::Bar bar(ranks, log, "reading images", all);
    for (std::int64_t begin = 0; begin < all; begin += most) {
        const std::int64_t count = std::min(most, all - begin);
        const Range share = block_range(count, index(ranks.rank()), ranks.size());
        const Packed mine = comm::agree(ranks, [&] {
            return packed(source, {begin + share.begin, share.count}, header);
        });
        sink.take(mine.records, mine.tiles);
        bar.advance(begin + count);
    }
}

}  // namespace civitas::images
