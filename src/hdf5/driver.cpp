#include "driver.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <algorithm>
#include <cstring>
#include <limits>

namespace civitas::hdf5 {
namespace {

/// An open file as HDF5 sees it; its own part comes first.
struct DriverFile {
    H5FD_t own{};
    DriverTarget* target = nullptr;
    haddr_t allocated = 0;  ///< end of what HDF5 has given away
    haddr_t written = 0;    ///< end of what has come
};

DriverFile& ours(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& ours(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

template <class Work>
void keep_failure(DriverTarget& target, Work&& work) noexcept {
    if (target.failure || target.given_up) return;
    try {
        work();
    } catch (...) {
        target.failure = std::current_exception();
    }
}

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
    const void* info = H5Pget_driver_info(access);
    if (info == nullptr) return nullptr;
    auto* made = new (std::nothrow) DriverFile;
    if (made == nullptr) return nullptr;
    std::memcpy(&made->target, info, sizeof made->target);
    return &made->own;
}

herr_t close_file(H5FD_t* file) {
    DriverFile& f = ours(file);
    f.target->end = std::max(f.written, f.allocated);
    delete &f;
    return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
    if (flags != nullptr)
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                 H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return ours(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    ours(file).allocated = end;
    return 0;
}

haddr_t get_written(const H5FD_t* file, H5FD_mem_t) { return ours(file).written; }

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t from, std::size_t size, void* out) {
    DriverFile& f = ours(file);
    std::memset(out, 0, size);
    if (from >= f.written) return 0;
    const auto there = static_cast<std::size_t>(std::min<haddr_t>(size, f.written - from));
    keep_failure(*f.target, [&] {
        f.target->file.read_at(from, {static_cast<std::byte*>(out), there});
    });
    return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t to, std::size_t size,
                   const void* values) {
    DriverFile& f = ours(file);
    keep_failure(*f.target, [&] {
        f.target->file.write_at(to, {static_cast<const std::byte*>(values), size});
    });
    f.written = std::max<haddr_t>(f.written, to + size);
    return 0;
}

/// What was allocated and never written belongs to the file too.
herr_t fill_up(H5FD_t* file, hid_t, hbool_t) {
    DriverFile& f = ours(file);
    if (f.written < f.allocated && !f.target->in_place)
        keep_failure(*f.target, [&] { f.target->file.reserve(f.allocated); });
    f.written = std::max(f.written, f.allocated);
    return 0;
}

constexpr H5FD_class_t driver_class() {
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 1);
#endif
    driver.name = "civitas";
    driver.maxaddr = std::numeric_limits<std::int64_t>::max();
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(DriverTarget*);
    driver.open = open_file;
    driver.close = close_file;
    driver.query = query;
    driver.get_eoa = get_allocated;
    driver.set_eoa = set_allocated;
    driver.get_eof = get_written;
    driver.read = read_bytes;
    driver.write = write_bytes;
    driver.truncate = fill_up;
    for (auto& kind : driver.fl_map) kind = H5FD_MEM_SUPER;  // as of HDF5's own: structure,
    driver.fl_map[H5FD_MEM_DRAW] = H5FD_MEM_DRAW;            // and data apart
    driver.fl_map[H5FD_MEM_GHEAP] = H5FD_MEM_DRAW;
    return driver;
}
constexpr H5FD_class_t driver = driver_class();

}  // namespace

void write_through(const H5Id& access, DriverTarget& target) {
    const H5Id id = owned(H5FDregister(&driver), "H5FDregister");
    DriverTarget* const info = &target;
    check(H5Pset_driver(access.get(), id.get(), &info), "H5Pset_driver");
}

}  // namespace civitas::hdf5
