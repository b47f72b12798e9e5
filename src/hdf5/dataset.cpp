#include "library.hpp"

#include <algorithm>
#include <limits>

namespace civitas::hdf5 {
namespace {

using Dims = std::vector<hsize_t>;

Dims dims_of(const Extent& extent) { return {extent.begin(), extent.end()}; }

Dims dims_of(const H5Id& dataset) {
    const H5Id space = owned(H5Dget_space(dataset.get()), "H5Dget_space");
    const int rank = check(H5Sget_simple_extent_ndims(space.get()), "H5Sget_simple_extent_ndims");
    Dims dims(static_cast<std::size_t>(rank));
    check(H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr),
          "H5Sget_simple_extent_dims");
    return dims;
}

H5Id simple_space(const Dims& dims) {
    return owned(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                 "H5Screate_simple");
}

H5Id creation_list(const DatasetSpec& spec) {
    H5Id list = owned(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    check(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
    check(H5Pset_obj_track_times(list.get(), 0), "H5Pset_obj_track_times");
    if (spec.chunk.empty()) {
        ensure(spec.deflate == 0, "a compressed dataset has chunks");
        check(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
        return list;
    }
    const Dims chunk = dims_of(spec.chunk);
    check(H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), "H5Pset_chunk");
    if (spec.deflate > 0)
        check(H5Pset_deflate(list.get(), static_cast<unsigned>(spec.deflate)), "H5Pset_deflate");
    return list;
}

/// Missing groups on the way are made; names are UTF-8.
H5Id link_list() {
    H5Id list = owned(H5Pcreate(H5P_LINK_CREATE), "H5Pcreate");
    check(H5Pset_create_intermediate_group(list.get(), 1), "H5Pset_create_intermediate_group");
    check(H5Pset_char_encoding(list.get(), H5T_CSET_UTF8), "H5Pset_char_encoding");
    return list;
}

H5Id transfer_list(bool collective) {
    H5Id list = owned(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate");
    if (collective) check(H5Pset_dxpl_mpio(list.get(), H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
    return list;
}

struct Selection {
    H5Id in_file;
    H5Id in_memory;
};

Selection select_rows(const H5Id& dataset, Range rows) {
    Dims count = dims_of(dataset);
    Dims start(count.size(), 0);
    start[0] = static_cast<hsize_t>(rows.begin);
    count[0] = static_cast<hsize_t>(rows.count);
    Selection s{owned(H5Dget_space(dataset.get()), "H5Dget_space"), simple_space(count)};
    if (rows.count == 0) {
        check(H5Sselect_none(s.in_file.get()), "H5Sselect_none");
        check(H5Sselect_none(s.in_memory.get()), "H5Sselect_none");
    } else {
        check(H5Sselect_hyperslab(s.in_file.get(), H5S_SELECT_SET, start.data(), nullptr,
                                  count.data(), nullptr),
              "H5Sselect_hyperslab");
    }
    return s;
}

/// Rows written by one call: bounds the compressed copies that HDF5 keeps of them, and stays far
/// from the 2 GiB that some MPI libraries stumble over.
std::int64_t rows_at_once(const Dims& dims, std::size_t element_bytes) {
    constexpr std::uint64_t most = std::uint64_t{256} << 20;
    std::uint64_t row = element_bytes;
    for (std::size_t d = 1; d < dims.size(); ++d) row *= dims[d];
    return static_cast<std::int64_t>(
        std::max<std::uint64_t>(1, most / std::max<std::uint64_t>(row, 1)));
}

}  // namespace

void H5File::create_dataset(const DatasetSpec& spec) {
    // HDF5 1.10 hangs in collective writes of compressed data when the disk is full.
    ensure(spec.deflate == 0 || !impl_->ranks, "compressed data are written by one process");
    const H5Id made = owned(H5Dcreate2(impl_->id(), spec.name.c_str(), native(spec.type),
                                       simple_space(dims_of(spec.shape)).get(), link_list().get(),
                                       creation_list(spec).get(), H5P_DEFAULT),
                            "H5Dcreate2");
    impl_->require_written();
}

Extent H5File::shape(const std::string& dataset) const {
    const Dims dims = dims_of(impl_->dataset(dataset));
    return {dims.begin(), dims.end()};
}

ElementType H5File::type(const std::string& dataset) const {
    const H5Id type = owned(H5Dget_type(impl_->dataset(dataset).get()), "H5Dget_type");
    const auto known = known_type(type.get());
    if (!known) throw Error(text(impl_->place(dataset), ": elements of a type unknown here"));
    return *known;
}

std::size_t H5File::elements(const std::string& name, Range rows) const {
    const Extent extent = shape(name);
    const auto held = extent.empty() ? 0 : static_cast<std::int64_t>(extent[0]);
    if (extent.empty() || rows.begin < 0 || rows.count < 0 || rows.end() > held)
        throw Error(text(impl_->place(name), ": rows ", rows.begin, " to ", rows.end(),
                         " of a dataset of ", held));
    auto n = static_cast<std::size_t>(rows.count);
    const std::size_t each = bytes_of(type(name));
    for (std::size_t d = 1; d < extent.size(); ++d) {
        if (extent[d] != 0 && n > std::numeric_limits<std::size_t>::max() / each / extent[d])
            throw Error(text(impl_->place(name), " is larger than any memory"));
        n *= extent[d];
    }
    const H5Id dataset = impl_->dataset(name);
    impl_->require_plausible(name, n * each, &dataset);
    return n;
}

void H5File::write(const std::string& name, Range rows, ElementType element, const void* values,
                   std::size_t count) {
    ensure(type(name) == element, "values have the type of their dataset");
    ensure(elements(name, rows) == count, "as many values as the rows hold");
    const H5Id dataset = impl_->dataset(name);
    const std::size_t row_bytes =
        rows.count == 0 ? 0 : count / static_cast<std::size_t>(rows.count) * bytes_of(element);
    const std::int64_t most = rows_at_once(dims_of(dataset), bytes_of(element));
    std::int64_t rounds = (rows.count + most - 1) / most;
    if (impl_->ranks) rounds = impl_->ranks->max(rounds);
    const H5Id transfer = transfer_list(impl_->ranks.has_value());
    for (std::int64_t r = 0; r < rounds; ++r) {
        const std::int64_t begin = std::min(r * most, rows.count);
        const Range part{rows.begin + begin, std::min(most, rows.count - begin)};
        const Selection s = select_rows(dataset, part);
        check(H5Dwrite(dataset.get(), native(element), s.in_memory.get(), s.in_file.get(),
                       transfer.get(),
                       static_cast<const std::byte*>(values) +
                           static_cast<std::size_t>(begin) * row_bytes),
              "H5Dwrite");
    }
    impl_->require_written();
}

void H5File::read(const std::string& name, Range rows, ElementType element, void* values) const {
    if (type(name) != element)
        throw Error(text(impl_->place(name), ": elements are ", to_string(type(name)), ", not ",
                         to_string(element)));
    if (elements(name, rows) == 0) return;
    const H5Id dataset = impl_->dataset(name);
    if (!is_chunked(dataset)) {
        const Range all{0, static_cast<std::int64_t>(shape(name).front())};
        impl_->require_room(name, dataset, elements(name, all) * bytes_of(element));
    }
    const Selection s = select_rows(dataset, rows);
    const H5Id transfer = transfer_list(impl_->ranks.has_value());  // closing it empties the stack
    if (H5Dread(dataset.get(), native(element), s.in_memory.get(), s.in_file.get(), transfer.get(),
                values) < 0)
        throw Error(text("cannot read ", impl_->place(name), ": ", take_error_stack()),
                    Hint{"the file is damaged: copy or make it again"});
}

void H5File::write_text(const std::string& name, const std::string& value) {
    const H5Id type = text_type(value.size());
    const H5Id space = owned(H5Screate(H5S_SCALAR), "H5Screate");
    const H5Id dataset = owned(H5Dcreate2(impl_->id(), name.c_str(), type.get(), space.get(),
                                          link_list().get(), creation_list({}).get(), H5P_DEFAULT),
                               "H5Dcreate2");
    if (impl_->ranks && !impl_->ranks->is_root())
        check(H5Sselect_none(space.get()), "H5Sselect_none");
    check(H5Dwrite(dataset.get(), type.get(), space.get(), space.get(),
                   transfer_list(impl_->ranks.has_value()).get(), value.c_str()),
          "H5Dwrite");
    impl_->require_written();
}

std::string H5File::read_text(const std::string& name) const {
    const H5Id dataset = impl_->dataset(name);
    const H5Id type = owned(H5Dget_type(dataset.get()), "H5Dget_type");
    const H5Id space = owned(H5Dget_space(dataset.get()), "H5Dget_space");
    if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1)
        throw Error(text(impl_->place(name), " is not one text"));
    impl_->require_plausible(name, H5Tget_size(type.get()));
    return text_value(type.get(), impl_->place(name), [&](void* out) {
        if (!is_chunked(dataset)) impl_->require_room(name, dataset, H5Tget_size(type.get()));
        check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "H5Dread");
    });
}

void H5File::write_texts(const std::string& name, const std::vector<std::string>& values) {
    ensure(!impl_->ranks, "texts are written by one process");
    std::size_t longest = 1;
    for (const std::string& value : values) longest = std::max(longest, value.size());
    std::string bytes;
    for (const std::string& value : values)
        bytes += value + std::string(longest - value.size(), '\0');
    const H5Id type = text_type(longest), space = simple_space({values.size()});
    const H5Id dataset = owned(H5Dcreate2(impl_->id(), name.c_str(), type.get(), space.get(),
                                          link_list().get(), creation_list({}).get(), H5P_DEFAULT),
                               "H5Dcreate2");
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
          "H5Dwrite");
    impl_->require_written();
}

std::vector<std::string> H5File::read_texts(const std::string& name) const {
    const H5Id dataset = impl_->dataset(name);
    const H5Id type = owned(H5Dget_type(dataset.get()), "H5Dget_type");
    const Dims dims = dims_of(dataset);
    if (H5Tget_class(type.get()) != H5T_STRING || dims.size() != 1)
        throw Error(text(impl_->place(name), " is not a row of texts"),
                    Hint{"with h5py: numpy.array([b\"one\", b\"two\"])"});
    require_fixed_length(type.get(), impl_->place(name));
    const std::size_t each = H5Tget_size(type.get());
    if (dims[0] > std::numeric_limits<std::size_t>::max() / each)
        throw Error(text(impl_->place(name), " is larger than any memory"));
    impl_->require_plausible(name, dims[0] * each, &dataset);
    if (!is_chunked(dataset)) impl_->require_room(name, dataset, dims[0] * each);
    std::string bytes(dims[0] * each, '\0');
    check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
          "H5Dread");
    std::vector<std::string> values;
    for (std::size_t i = 0; i < bytes.size(); i += each)
        values.push_back(without_padding(bytes.substr(i, each)));
    return values;
}

std::uint64_t H5File::offset(const std::string& dataset) const {
    const haddr_t address = H5Dget_offset(impl_->dataset(dataset).get());
    if (address == HADDR_UNDEF)
        throw Error(text(impl_->place(dataset), " has no bytes of its own in the file"));
    return address;
}

}  // namespace civitas::hdf5
