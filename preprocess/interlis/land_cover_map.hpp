#pragma once
/// Transfers of the Swiss official survey as maps that GDAL's callers read like any other. GDAL's
/// own drivers give lines in the place of areas for INTERLIS 1, and do not know INTERLIS 2.4.
#include "survey.hpp"
#include "transfer_file.hpp"

#include <gdal_priv.h>
#include <map>

namespace civitas::interlis {

enum class Format {
    none,        ///< not INTERLIS, or of a version that GDAL reads
    interlis1,   ///< `.itf`
    interlis24,  ///< `.xtf`
};

/// By the extension, and for `.xtf` by what the file begins with. Throws Error for a file that
/// cannot be opened.
[[nodiscard]] Format format_of(const FileName& file);

/// The model whose numbers stand for land cover in the file; empty where it goes by name.
/// Throws Error for damage before it, unless that is to be borne.
[[nodiscard]] std::string model_of(const FileName& file, Format format, bool bear_damage);

struct LandCoverMap {
    GDALDatasetUniquePtr dataset;  ///< in memory, one layer with the field Art, in LV95 or LV03
    std::map<std::string, std::int64_t> left_out;  ///< by the reason
    std::vector<std::string> warnings;
};

/// Reads the land cover of a transfer. Throws Error for one that is damaged (with the line, unless
/// that is to be borne) or holds none.
[[nodiscard]] LandCoverMap read_land_cover(const FileName& file, Format format, Reading reading);

}  // namespace civitas::interlis
