#pragma once
/// Candidates become open datasets.
#include "gdal.hpp"
#include "preprocess/interlis/survey.hpp"
#include "source.hpp"
#include "tally.hpp"

namespace civitas::maps {

struct OpenMap {
    Dataset dataset;
    std::string name = {};  ///< its candidate's
    Tally left_out = {};    ///< while opening; of formats that GDAL does not read itself
    std::vector<std::string> warnings = {};
    std::uint64_t bytes_held = 0;  ///< size of its file, if all of it is held in memory
};

/// The model that numbers in the field Art belong to, where the map itself names it; else empty.
/// Throws Error for a map that cannot be read, or not in full (unless that is to be borne).
[[nodiscard]] std::string art_model_of(const Candidate& candidate, bool bear_damage);

/// Throws Error that names the driver this build of GDAL lacks, or says why it cannot be read, or
/// not in full (unless that is to be borne). Leaves no file beside the map.
[[nodiscard]] OpenMap open_dataset(Gdal& gdal, const Candidate& candidate,
                                   interlis::Reading reading);

/// How large the files may be together that are held in memory, where they take a third more.
inline constexpr std::uint64_t most_bytes_held = 256 << 20;

/// Datasets that stay open between looking and reading, as long as there is room for them.
class OpenMaps {
public:
    explicit OpenMaps(Gdal& gdal, interlis::Reading reading = {},
                      std::uint64_t most_bytes = most_bytes_held)
        : gdal_(gdal), reading_(reading), most_bytes_(most_bytes) {}
    [[nodiscard]] Gdal& gdal() { return gdal_; }
    /// Opened at the first call; stays until it is dropped or the next is opened.
    [[nodiscard]] GDALDataset& get(const Candidate& candidate) { return *open(candidate).dataset; }
    [[nodiscard]] const OpenMap& open(const Candidate& candidate);
    void drop(const Candidate& candidate);

private:
    void make_room(std::uint64_t bytes);

    Gdal& gdal_;
    interlis::Reading reading_;
    std::uint64_t most_bytes_;
    std::vector<OpenMap> open_;  ///< in the order in which they were opened
};

}  // namespace civitas::maps
