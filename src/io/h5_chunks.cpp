#include "h5_private.hpp"

#include <algorithm>

namespace civitas::io {
namespace {

/// Rows per chunk of a dataset whose chunks are whole rows, 0 of any other.
hsize_t chunk_rows(const H5Id& dataset, const Extent& shape) {
    const H5Id list = owned(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist");
    if (check(H5Pget_layout(list.get()), "H5Pget_layout") != H5D_CHUNKED) return 0;
    std::vector<hsize_t> chunk(shape.size());
    check(H5Pget_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), "H5Pget_chunk");
    return std::equal(shape.begin() + 1, shape.end(), chunk.begin() + 1) ? chunk[0] : 0;
}

}  // namespace

std::vector<ChunkAddress> H5File::row_chunks(const std::string& name) const {
    const H5Id dataset = impl_->dataset(name);
    const Extent extent = shape(name);
    const hsize_t rows = extent.empty() ? 0 : chunk_rows(dataset, extent);
    if (rows == 0) throw Error(text(impl_->place(name), ": its chunks are not whole rows"));
    std::vector<ChunkAddress> chunks;
    std::vector<hsize_t> corner(extent.size(), 0);
    for (; corner[0] < extent[0]; corner[0] += rows) {
        unsigned skipped_filters = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t bytes = 0;
        check(H5Dget_chunk_info_by_coord(dataset.get(), corner.data(), &skipped_filters, &address,
                                         &bytes),
              "H5Dget_chunk_info_by_coord");
        if (address == HADDR_UNDEF || skipped_filters != 0)
            throw Error(text(
                impl_->place(name), ": row ", corner[0],
                address == HADDR_UNDEF ? " was never written" : " is stored unlike the others"));
        chunks.push_back({address, bytes});
    }
    return chunks;
}

void H5File::write_chunk(const std::string& name, std::uint64_t row,
                         std::span<const std::byte> stored) {
    expect(!impl_->ranks, "chunks are written by one process");
    const H5Id dataset = impl_->dataset(name);
    std::vector<hsize_t> corner(shape(name).size(), 0);
    corner.at(0) = row;
    check(
        H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, corner.data(), stored.size(), stored.data()),
        "H5Dwrite_chunk");
}

}  // namespace civitas::io
