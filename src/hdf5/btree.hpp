#pragma once
/// The chunk index of HDF5's first file format, read without HDF5: version 1.10 of the library
/// finds one chunk after the other only from the beginning of the index each time. Included by this
/// module's sources only.
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/io/files.hpp"

#include <optional>
#include <vector>

namespace civitas::hdf5 {

/// A dataset in chunks, as the library describes it.
struct ChunkedDataset {
    std::uint64_t object_header = 0;  ///< its place in the file
    std::size_t dims = 0;
    std::uint64_t rows = 0;
    std::size_t node_children = 0;  ///< that a node of the index has room for
};

struct ListedChunk {
    std::uint64_t row = 0;  ///< the first
    ChunkAddress address = {};
    std::uint32_t skipped_filters = 0;
};

/// All chunks in one pass, in the order of the index. Nothing when the dataset has another kind of
/// index, of a later format; throws Error when the index is damaged.
[[nodiscard]] std::optional<std::vector<ListedChunk>> list_chunks(const io::RawFile& file,
                                                                  const ChunkedDataset& dataset);

}  // namespace civitas::hdf5
