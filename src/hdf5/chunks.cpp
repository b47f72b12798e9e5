#include "btree.hpp"
#include "library.hpp"

#include <algorithm>

namespace civitas::hdf5 {
namespace {

/// Rows per chunk of a dataset whose chunks are whole rows, 0 of any other.
hsize_t chunk_rows(const H5Id& dataset, const Extent& shape) {
    const H5Id list = owned(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist");
    if (check(H5Pget_layout(list.get()), "H5Pget_layout") != H5D_CHUNKED) return 0;
    std::vector<hsize_t> chunk(shape.size());
    check(H5Pget_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), "H5Pget_chunk");
    return std::equal(shape.begin() + 1, shape.end(), chunk.begin() + 1) ? chunk[0] : 0;
}

using Listed = std::optional<std::vector<ListedChunk>>;

#if H5_VERSION_GE(1, 14, 0)
/// All chunks in one pass.
Listed in_one_pass(hid_t, const H5Id& dataset, const Extent&, const std::filesystem::path&) {
    std::vector<ListedChunk> chunks;
    const auto keep = [](const hsize_t* corner, unsigned skipped, haddr_t address, hsize_t bytes,
                         void* out) -> int {
        static_cast<std::vector<ListedChunk>*>(out)->push_back(
            {corner[0], {address, bytes}, skipped});
        return 0;
    };
    check(H5Dchunk_iter(dataset.get(), H5P_DEFAULT, keep, &chunks), "H5Dchunk_iter");
    return chunks;
}
#elif H5_VERSION_GE(1, 12, 0)
Listed in_one_pass(hid_t, const H5Id&, const Extent&, const std::filesystem::path&) {
    return std::nullopt;
}
#else
/// All chunks in one pass; nothing when this file's structures are not those of the first format.
Listed in_one_pass(hid_t file, const H5Id& dataset, const Extent& shape,
                   const std::filesystem::path& name) {
    const H5Id list = owned(H5Fget_create_plist(file), "H5Fget_create_plist");
    hsize_t before = 0;
    std::size_t offset_bytes = 0, length_bytes = 0;
    unsigned half = 0;
    check(H5Pget_userblock(list.get(), &before), "H5Pget_userblock");
    check(H5Pget_sizes(list.get(), &offset_bytes, &length_bytes), "H5Pget_sizes");
    check(H5Pget_istore_k(list.get(), &half), "H5Pget_istore_k");
    constexpr std::size_t wide = 8;
    constexpr unsigned most = 1 << 12;
    if (before != 0 || offset_bytes != wide || length_bytes != wide || half > most)
        return std::nullopt;
    H5O_info_t facts{};
    check(H5Oget_info2(dataset.get(), &facts, H5O_INFO_BASIC), "H5Oget_info2");
    return list_chunks(io::RawFile::open_to_read(name),
                       {facts.addr, shape.size(), shape[0], std::size_t{2} * half});
}
#endif

/// Searching grows with the square of the number: these take some seconds.
constexpr hsize_t most_searched = 5000;

/// One chunk after the other, each looked for from the beginning of the index.
std::vector<ListedChunk> one_by_one(const H5Id& dataset, const Extent& shape, hsize_t rows) {
    std::vector<ListedChunk> chunks;
    std::vector<hsize_t> corner(shape.size(), 0);
    for (; corner[0] < shape[0]; corner[0] += rows) {
        ListedChunk chunk{.row = corner[0]};
        haddr_t address = HADDR_UNDEF;
        hsize_t bytes = 0;
        check(H5Dget_chunk_info_by_coord(dataset.get(), corner.data(), &chunk.skipped_filters,
                                         &address, &bytes),
              "H5Dget_chunk_info_by_coord");
        chunk.address = {address, bytes};
        if (address != HADDR_UNDEF) chunks.push_back(chunk);
    }
    return chunks;
}

}  // namespace

std::vector<ChunkAddress> H5File::row_chunks(const std::string& name) const {
    const H5Id dataset = impl_->dataset(name);
    const Extent extent = shape(name);
    const hsize_t rows = extent.empty() ? 0 : chunk_rows(dataset, extent);
    if (rows == 0) throw Error(text(impl_->place(name), ": its chunks are not whole rows"));
    if (impl_->target) check(H5Fflush(impl_->id(), H5F_SCOPE_GLOBAL), "H5Fflush");
    impl_->require_plausible(name, extent[0]);
    const auto& file = impl_->target ? impl_->target->part() : impl_->name;
    auto listed = in_one_pass(impl_->id(), dataset, extent, file);
    if (!listed && !impl_->target && extent[0] / rows > most_searched)
        throw Error(text(impl_->place(name), ": this HDF5 library finds its ", extent[0] / rows,
                         " chunks only one by one, each from the beginning"));
    if (!listed) listed = one_by_one(dataset, extent, rows);
    constexpr std::uint64_t unknown = HADDR_UNDEF;
    std::vector<ChunkAddress> chunks((extent[0] + rows - 1) / rows, {unknown, 0});
    for (const ListedChunk& chunk : *listed) {
        if (chunk.row / rows >= chunks.size() || chunk.row % rows != 0) continue;
        if (chunk.skipped_filters != 0)
            throw Error(
                text(impl_->place(name), ": row ", chunk.row, " is stored unlike the others"));
        chunks[chunk.row / rows] = chunk.address;
    }
    for (std::size_t i = 0; i < chunks.size(); ++i)
        if (chunks[i].offset == unknown)
            throw Error(text(impl_->place(name), ": row ", i * rows, " was never written"));
    return chunks;
}

void H5File::write_chunk(const std::string& name, std::uint64_t row,
                         std::span<const std::byte> stored) {
    ensure(!impl_->ranks, "chunks are written by one process");
    const H5Id dataset = impl_->dataset(name);
    std::vector<hsize_t> corner(shape(name).size(), 0);
    corner.at(0) = row;
    check(
        H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, corner.data(), stored.size(), stored.data()),
        "H5Dwrite_chunk");
    impl_->require_written();
}

}  // namespace civitas::hdf5
