#pragma once
/// One PNG or JPEG file.
#include "preprocess/maps/gdal.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace civitas::images {

/// Whether its ending says that a file is an image which is read here.
[[nodiscard]] bool is_image(const std::filesystem::path& file);

/// Why an image is left out.
struct Fault {
    std::string reason;   ///< one of a few, to be counted; empty: it was read
    std::string details;  ///< of this image

    [[nodiscard]] bool any() const { return !reason.empty(); }
};

/// Reads images through GDAL; while it lives, damage that libjpeg would only warn of is an error.
class ImageReader {
public:
    explicit ImageReader(maps::Gdal& gdal);
    ImageReader(const ImageReader&) = delete;
    ImageReader& operator=(const ImageReader&) = delete;
    ~ImageReader();

    /// Reads the square in the middle of an image, averaged to `pixels` a side, into `rgb`
    /// (pixels^2 times red, green, blue). Grey ones get three equal channels, an alpha channel is
    /// left out, a palette becomes its colours.
    [[nodiscard]] Fault read(const std::filesystem::path& file, std::int64_t pixels,
                             std::span<std::uint8_t> rgb);

private:
    maps::Gdal& gdal_;
};

}  // namespace civitas::images
