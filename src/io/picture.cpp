#include "civitas/io/picture.hpp"

#include "civitas/base/error.hpp"

#include <png.h>
#include <algorithm>
#include <span>
#include <vector>

namespace civitas::io {
namespace {

static_assert(sizeof(Colour) == 3, "libpng reads and writes rows of Colour as RGB");

/// libpng's simplified interface: one struct that owns what it allocated until freed.
class PngImage {
public:
    PngImage() { image_.version = PNG_IMAGE_VERSION; }
    ~PngImage() { png_image_free(&image_); }
    PngImage(const PngImage&) = delete;
    PngImage& operator=(const PngImage&) = delete;
    png_image* get() { return &image_; }
    png_image* operator->() { return &image_; }

    void check(int ok, const std::filesystem::path& file, const Hint& hint = {}) const {
        if (ok == 0) throw Error(text("PNG ", file, ": ", image_.message), hint);
    }

private:
    png_image image_{};
};

std::size_t area(int width, int height) {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

}  // namespace

Picture::Picture(int width, int height, Colour background)
    : width_(width), height_(height), pixels_(area(width, height), background) {
    ensure(width > 0 && height > 0, "a picture has pixels");
}

const Colour& Picture::at(int x, int y) const {
    ensure(x >= 0 && x < width_ && y >= 0 && y < height_, "the pixel lies in the picture");
    return pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                   static_cast<std::size_t>(x)];
}

Colour& Picture::at(int x, int y) { return const_cast<Colour&>(std::as_const(*this).at(x, y)); }

std::vector<std::byte> png_of(const Picture& picture) {
    PngImage png;
    png->width = static_cast<png_uint_32>(picture.width());
    png->height = static_cast<png_uint_32>(picture.height());
    png->format = PNG_FORMAT_RGB;
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(*png.get());
    std::vector<std::byte> packed(bytes);
    const int ok = png_image_write_to_memory(png.get(), packed.data(), &bytes, 0, &picture.at(0, 0),
                                             0, nullptr);
    png.check(ok, "in memory");
    packed.resize(bytes);
    return packed;
}

void write_png(const std::filesystem::path& file, const Picture& picture, Replace replace) {
    const auto packed = png_of(picture);
    AtomicFile atomic(file, replace);
    RawFile::open_to_write(atomic.part()).write_at(0, packed);
    atomic.commit();
}

Picture shrunk(const Picture& picture, int most_width) {
    const int n = (picture.width() + most_width - 1) / most_width;
    if (n == 1) return picture;
    Picture small(picture.width() / n, std::max(1, picture.height() / n), Colour{});
    const int rows = std::min(n, picture.height());
    for (int y = 0; y < small.height(); ++y)
        for (int x = 0; x < small.width(); ++x) {
            int red = 0, green = 0, blue = 0;
            for (int v = 0; v < rows; ++v)
                for (int u = 0; u < n; ++u) {
                    const Colour& c = picture.at(x * n + u, y * n + v);
                    red += c.red, green += c.green, blue += c.blue;
                }
            const auto mean = [&](int sum) {
                return static_cast<std::uint8_t>((sum + n * rows / 2) / (n * rows));
            };
            small.at(x, y) = {mean(red), mean(green), mean(blue)};
        }
    return small;
}

Picture read_png(const std::filesystem::path& file) {
    const std::string packed = read_text_file(file);
    const Hint damaged{"it is damaged, or no PNG"};
    PngImage png;
    png.check(png_image_begin_read_from_memory(png.get(), packed.data(), packed.size()), file,
              damaged);
    if (std::uint64_t{png->width} * png->height > most_pixels_read)
        throw Error(text(file, " says that it has ", png->width, " x ", png->height,
                         " pixels, and ", most_pixels_read, " are the most that are read"),
                    Hint{"it is damaged, or no sheet of this program"});
    png->format = PNG_FORMAT_RGB;
    Picture picture(static_cast<int>(png->width), static_cast<int>(png->height), Colour{});
    const png_color white{255, 255, 255};  // under transparent pixels of other people's files
    png.check(png_image_finish_read(png.get(), &white, &picture.at(0, 0), 0, nullptr), file,
              damaged);
    return picture;
}

}  // namespace civitas::io
