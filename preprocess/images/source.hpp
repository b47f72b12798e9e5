#pragma once
/// Images become tiles, wherever they come from.
#include "preprocess/maps/tiles.hpp"

#include <cstdint>
#include <span>

namespace civitas::images {

/// Images with labels, numbered from 0, the same on all ranks; each rank reads those that it asks
/// for.
class ImageSource {
public:
    ImageSource() = default;
    ImageSource(const ImageSource&) = delete;
    ImageSource& operator=(const ImageSource&) = delete;
    virtual ~ImageSource() = default;

    [[nodiscard]] virtual std::int64_t size() const = 0;
    [[nodiscard]] virtual data::TileRecord record(std::int64_t image) const = 0;
    /// Fills in red, green and blue of each pixel, row by row, header.pixels^2 of them. Throws
    /// Error.
    virtual void read(std::int64_t image, std::span<std::uint8_t> rgb) = 0;
};

/// Hands all images on, in their order, whatever the number of ranks: each reads its share, a few
/// at a time. Collective; throws AgreedError.
void store_images(const comm::Communicator& ranks, ImageSource& source,
                  const data::StoreHeader& header, maps::TileSink& sink, Log& log);

}  // namespace civitas::images
