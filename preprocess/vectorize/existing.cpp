#include "existing.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"
#include "ogr.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace civitas::vectorize {
namespace {

namespace fs = std::filesystem;

void require_no_layer(const fs::path& file, const std::vector<std::string>& layers) {
    const QuietGdal errors;
    const Dataset map = with_all_tables(file.string(), "GPKG", GDAL_OF_READONLY);
    if (!map) {
        throw Error(text("layers cannot be added to ", file, ", which is no GeoPackage that opens",
                         errors.failure().empty() ? "" : ": ", errors.failure()),
                    Hint{"name another --output, or replace it by --overwrite"});
    }
    for (const auto& layer : layers) {
        if (map->GetLayerByName(layer.c_str()) == nullptr) continue;
        throw Error(text(file, " has a layer ", layer, " already"),
                    Hint{"choose other names, as by --layer-prefix plans_"});
    }
}

}  // namespace

ExistingMap::ExistingMap(fs::path file, const std::vector<std::string>& layers)
    : file_(std::move(file)), written_(fs::last_write_time(file_)) {
    require_no_layer(file_, layers);
}

void ExistingMap::copy_to(const fs::path& copy) const {
    try {
        const auto from = io::RawFile::open_to_read(file_);
        const auto to = io::RawFile::open_to_write(copy);
        const std::uint64_t size = from.size();
        to.reserve(size);
        constexpr std::uint64_t most = std::uint64_t{1} << 20;
        std::vector<std::byte> bytes(std::min(size, most));
        for (std::uint64_t at = 0; at < size; at += bytes.size()) {
            bytes.resize(std::min(most, size - at));
            from.read_at(at, bytes);
            to.write_at(at, bytes);
        }
        fs::permissions(copy, fs::status(file_).permissions());
    } catch (const std::exception& e) {
        throw Error(text("cannot copy ", file_, " to add layers to it: ", e.what()));
    }
}

void ExistingMap::require_unchanged() const {
    if (fs::last_write_time(file_) != written_) {
        throw Error(text(file_, " was changed by another program meanwhile"),
                    Hint{"nothing was added: close it there, then again"});
    }
}

}  // namespace civitas::vectorize
