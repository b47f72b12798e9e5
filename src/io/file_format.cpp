#include "civitas/io/file_format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace civitas::io {
namespace {

using Named = std::pair<std::string_view, FileFormat>;

constexpr auto extensions = [] {
    using enum FileFormat;
    return std::array<Named, 23>{{{".txt", text},  {".csv", csv},
                                  {".json", json}, {".html", html},
                                  {".htm", html},  {".svg", svg},
                                  {".png", png},   {".h5", hdf5},
                                  {".hdf5", hdf5}, {".safetensors", safetensors},
                                  {".jpg", other}, {".jpeg", other},
                                  {".gif", other}, {".webp", other},
                                  {".tif", other}, {".tiff", other},
                                  {".pdf", other}, {".gpkg", other},
                                  {".dxf", other}, {".geojson", other},
                                  {".pt", other},  {".pth", other},
                                  {".npz", other}}};
}();

}  // namespace

std::string extension_of(const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

std::vector<std::string_view> extensions_of(FileFormat format) {
    std::vector<std::string_view> all;
    for (const auto& [extension, its] : extensions)
        if (its == format) all.push_back(extension);
    return all;
}

std::optional<FileFormat> format_of(const std::filesystem::path& file) {
    const std::string extension = extension_of(file);
    const auto found = std::find_if(extensions.begin(), extensions.end(),
                                    [&](const auto& known) { return known.first == extension; });
    return found == extensions.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace civitas::io
