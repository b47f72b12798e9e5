#pragma once
/// Which images a folder holds, of which class each is, and for what.
#include "civitas/comm/communicator.hpp"
#include "civitas/data/tile_store.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace civitas::images {

/// Where and what an image is.
struct ImageFacts {
    std::uint64_t bytes = 0;  ///< of the file, by which ranks know that they see the same
    std::uint16_t label = 0;
    data::Split split = data::Split::train;
};

struct ImageList {
    std::vector<std::string> classes;              ///< ascending
    std::vector<std::string> names;                ///< of images, within the folder, ascending
    std::vector<ImageFacts> facts;                 ///< of each
    std::map<std::string, std::int64_t> left_out;  ///< how many files and links, and why
};

/// Lists a folder with a folder for each class; or one with `train` and `test` (or `val`, `valid`,
/// `validation`) and no others, which hold such folders, and are the split. Otherwise an image is
/// for tests by its name alone: where the hash of `CLASS/NAME` (XXH3-64), as a share of all there
/// are, is less than `test_share`. Names that begin with a dot are left out; so are files
/// beside the folders of classes and links to folders within these, which are counted. Throws
/// Error, with a hint, for fewer than two classes and for one without an image.
[[nodiscard]] ImageList list_images(const std::filesystem::path& folder, double test_share);

/// The root's list, on all ranks; only the root knows what is left out. Collective.
[[nodiscard]] ImageList share_list(const comm::Communicator& ranks, ImageList list);

}  // namespace civitas::images
