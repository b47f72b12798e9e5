#pragma once
/// Candidates become open datasets.
#include "gdal.hpp"
#include "preprocess/interlis/survey.hpp"
#include "source.hpp"
#include "tally.hpp"

#include <map>

namespace civitas::maps {

struct OpenMap {
    Dataset dataset;
    Tally left_out = {};  ///< while opening; of formats that GDAL does not read itself
    std::vector<std::string> warnings = {};
};

/// The model that numbers in the field Art belong to, where the map itself names it; else empty.
/// Throws Error for a map that cannot be read, or not in full (unless that is to be borne).
[[nodiscard]] std::string art_model_of(const Candidate& candidate, bool bear_damage);

/// Throws Error that names the driver this build of GDAL lacks, or says why it cannot be read, or
/// not in full (unless that is to be borne). Leaves no file beside the map.
[[nodiscard]] OpenMap open_dataset(Gdal& gdal, const Candidate& candidate,
                                   interlis::Reading reading);

/// Datasets that stay open between looking and reading.
class OpenMaps {
public:
    explicit OpenMaps(Gdal& gdal, interlis::Reading reading = {})
        : gdal_(gdal), reading_(reading) {}
    [[nodiscard]] Gdal& gdal() { return gdal_; }
    /// Opened at the first call; stays until dropped.
    [[nodiscard]] GDALDataset& get(const Candidate& candidate) { return *open(candidate).dataset; }
    [[nodiscard]] const OpenMap& open(const Candidate& candidate);
    void drop(const Candidate& candidate) { open_.erase(candidate.name); }
    /// Keep few: every open Shapefile costs three file descriptors.
    void drop_surplus();

private:
    Gdal& gdal_;
    interlis::Reading reading_;
    std::map<std::string, OpenMap> open_;
};

}  // namespace civitas::maps
