#pragma once
/// The file around the arrays: groups, attributes, checksums.
#include "layout.hpp"

namespace civitas::checkpoint {

/// Where the bytes belong in a file whose arrays have not been written yet.
struct Places {
    std::vector<std::uint64_t> arrays;  ///< 0 for an array without elements
    std::uint64_t checksums = 0;        ///< one u64 per array
    std::uint64_t fingerprint = 0;      ///< one u64
};

/// More bytes than the file of these arrays can take.
[[nodiscard]] std::uint64_t most_bytes(const Header& header, const std::vector<ArrayInfo>& arrays);
/// A file with places for the arrays (by name), everything but their values and checksums written,
/// once the disk has room for `bytes`.
[[nodiscard]] Places write_frame(const std::filesystem::path& file, const Header& header,
                                 const std::vector<ArrayInfo>& arrays, std::uint64_t bytes);

}  // namespace civitas::checkpoint
