#pragma once
/// Pictures: RGB images as PNG.
#include "civitas/io/files.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace civitas::io {

struct Colour {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    friend bool operator==(const Colour&, const Colour&) = default;
};

class Picture {
public:
    Picture(int width, int height, Colour background);
    [[nodiscard]] int width() const noexcept { return width_; }
    [[nodiscard]] int height() const noexcept { return height_; }
    [[nodiscard]] Colour& at(int x, int y);
    [[nodiscard]] const Colour& at(int x, int y) const;

private:
    int width_;
    int height_;
    std::vector<Colour> pixels_;
};

/// Means of squares of pixels, of the smallest side that leaves so much width at most; what is left
/// over on the right and below is left out.
[[nodiscard]] Picture shrunk(const Picture& picture, int most_width);

/// A picture as the bytes of a PNG file.
[[nodiscard]] std::vector<std::byte> png_of(const Picture& picture);
/// Writes a picture as PNG, atomically.
void write_png(const std::filesystem::path& file, const Picture& picture,
               Replace replace = Replace::yes);
/// Twice what a sheet of 64 plans of 1024 pixels has.
inline constexpr std::uint64_t most_pixels_read = std::uint64_t{1} << 27;
/// Throws Error for what is no PNG, and for one that says it has more pixels than are read.
[[nodiscard]] Picture read_png(const std::filesystem::path& file);

}  // namespace civitas::io
