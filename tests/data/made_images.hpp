#pragma once
// Small stores of images with labels.
#include "made_store.hpp"

namespace civitas::data::test_stores {

constexpr std::int64_t image_bytes = side * side * 3;

inline std::vector<std::uint8_t> image_of(std::int64_t tile) {
    std::vector<std::uint8_t> bytes(image_bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(i * i + 31 * static_cast<std::size_t>(tile));
    return bytes;
}

inline StoreHeader image_header() {
    StoreHeader h = header();
    h.content = Content::rgb;
    h.label_names = {"aeroplane", "église", "w"};
    return h;
}

inline TileRecord image_record(std::int64_t tile) {
    TileRecord record;
    record.label = static_cast<std::uint16_t>(tile * 7 % 3);
    record.split = tile % 5 == 4 ? Split::test : Split::train;
    return record;
}

/// Images by all ranks, each its share.
inline void write_images(const Communicator& ranks, const fs::path& file, std::int64_t tiles,
                         const StoreHeader& h = image_header()) {
    const Range mine = block_range(tiles, index(ranks.rank()), ranks.size());
    std::vector<TileRecord> records;
    std::vector<std::uint8_t> bytes;
    for (std::int64_t t = mine.begin; t < mine.end(); ++t) {
        records.push_back(image_record(t));
        const auto image = image_of(t);
        bytes.insert(bytes.end(), image.begin(), image.end());
    }
    write_tile_store(ranks, file, h, records, bytes);
}

}  // namespace civitas::data::test_stores
