#include "store_output.hpp"

namespace civitas::maps {

void StoreOutput::begin(const data::StoreHeader& header, std::int64_t tiles) {
    store_.emplace(ranks_, settings_.output, header, tiles, replace());
    if (!settings_.preview.empty()) preview_.emplace(ranks_, tiles, header);
}

void StoreOutput::take(std::span<const data::TileRecord> records,
                       std::span<const data::PackedTile> tiles) {
    store_->append(records, tiles);
    if (preview_) preview_->take(tiles);
}

void StoreOutput::finish(Log& log) {
    store_->close();
    log.info(text("wrote ", settings_.output));
    if (!preview_) return;
    preview_->write(settings_.preview, replace());
    log.info(text("wrote ", settings_.preview));
}

}  // namespace civitas::maps
