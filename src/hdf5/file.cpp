#include "driver.hpp"
#include "library.hpp"

#include "civitas/base/unreadable.hpp"
#include "civitas/comm/agree.hpp"

#include <sys/stat.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace civitas::hdf5 {
namespace {

namespace fs = std::filesystem;

constexpr hsize_t alignment = 4096;

herr_t describe(unsigned depth, const H5E_error2_t* error, void* out) {
    constexpr unsigned enough = 8;
    const char* said = error->desc == nullptr ? "?" : error->desc;
    if (depth >= enough && !is_of_system(said)) return 0;
    auto& words = *static_cast<std::string*>(out);
    if (!words.empty()) words += "; ";
    words += text(error->func_name, ": ", said);
    return 0;
}

/// Access as every file here wants it: nothing printed by HDF5 (our exceptions carry its words),
/// everything closed with the file, no locks (they fail on many cluster file systems).
H5Id access_list() {
    check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "H5Eset_auto2");
    H5Id list = owned(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
    check(H5Pset_fclose_degree(list.get(), H5F_CLOSE_STRONG), "H5Pset_fclose_degree");
    check(H5Pset_file_locking(list.get(), 0, 1), "H5Pset_file_locking");
    check(H5Pset_alignment(list.get(), alignment, alignment), "H5Pset_alignment");
    return list;
}

/// Files that hold the same are the same, to the byte: no times are kept.
hid_t created(const fs::path& file, const H5Id& access) {
    const H5Id list = owned(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate");
    check(H5Pset_obj_track_times(list.get(), 0), "H5Pset_obj_track_times");
    const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, list.get(), access.get());
    if (id < 0)
        throw Error(text("cannot create ", file, ": ", take_error_stack()),
                    Hint{"check that the folder exists, may be written and has free space"});
    return id;
}

[[noreturn]] void throw_unreadable(const fs::path& file) {
    const std::string words = take_error_stack();
    if (is_of_system(words)) throw UnreadableError(text("cannot read ", file, ": ", words));
    throw Error(text("cannot read ", file, ": ", words),
                Hint{"the file is damaged or truncated: copy or make it again"});
}

void require_hdf5(const fs::path& file) {
    struct stat facts {};
    const int error = ::stat(file.c_str(), &facts) != 0 ? errno : 0;
    if (error == ENOENT || error == ENOTDIR)
        throw Error(text("there is no file ", file), Hint{"check the name and the folder"});
    if (error == 0 && !S_ISREG(facts.st_mode))
        throw Error(text(file, " is not a file"), Hint{"name a file"});
    (void)io::RawFile::open_to_read(file);  // says better than HDF5 why it cannot be
    const htri_t answer = H5Fis_hdf5(file.c_str());
    if (answer < 0) throw_unreadable(file);
    if (answer == 0)
        throw Error(text(file, " is not an HDF5 file (", facts.st_size, " bytes)"),
                    Hint{"was another file meant, or is it cut short at the front?"});
}

}  // namespace

Component component() {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    check(H5get_libversion(&major, &minor, &release), "H5get_libversion");
    return {"HDF5", text(major, '.', minor, '.', release)};
}

std::string take_error_stack() {
    std::string words;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, describe, &words);
    H5Eclear2(H5E_DEFAULT);
    return words;
}

void throw_failure(const char* call, std::source_location at) {
    const std::string words = take_error_stack();
    if (!is_of_system(words)) throw LibraryError(call, words, at);
    throw UnreadableError(text(call, ": ", words));
}

H5File::Impl::Impl(hid_t id, fs::path path) : file(id), name(std::move(path)) {}

H5File::Impl::~Impl() {
    if (writing) writing->given_up = true;
    if (file >= 0) H5Fclose(file);
}

void H5File::Impl::make() {
    const H5Id access = access_list();
    write_through(access, *writing);
    file = created(name, access);
    require_written();
}

void H5File::Impl::require_written() const {
    if (writing) writing->require_written();
}

hid_t H5File::Impl::id() const {
    ensure(file >= 0, "the HDF5 file is open");
    return file;
}

std::string H5File::Impl::place(const std::string& what) const { return text(name, ": ", what); }

H5File::H5File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
H5File::H5File(H5File&&) noexcept = default;
H5File& H5File::operator=(H5File&&) noexcept = default;
H5File::~H5File() = default;

H5File H5File::open(const fs::path& file) {
    const H5Id access = access_list();
    require_hdf5(file);
    auto sound = std::make_unique<SoundFile>(io::RawFile::open_to_read(file));
    const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get());
    if (id < 0) throw_unreadable(file);
    auto impl = std::make_unique<Impl>(id, file);
    void* descriptor = nullptr;
    check(H5Fget_vfd_handle(id, access.get(), &descriptor), "H5Fget_vfd_handle");
    sound->read_through(*static_cast<const int*>(descriptor));
    impl->sound = std::move(sound);
    return H5File(std::move(impl));
}

H5File H5File::create(const fs::path& file, io::Replace replace) {
    auto impl = std::make_unique<Impl>(H5I_INVALID_HID, file);
    impl->target.emplace(file, replace);
    impl->writing =
        std::make_unique<DriverTarget>(io::RawFile::open_to_write(impl->target->part()));
    impl->make();
    return H5File(std::move(impl));
}

H5File H5File::create(const fs::path& file, const comm::Communicator& ranks, std::uint64_t bytes) {
    auto raw = comm::agree(ranks, [&]() -> std::optional<io::RawFile> {
        if (!ranks.is_root()) return {};
        io::RawFile made = io::RawFile::open_to_write(file);
        made.resize(0);  // an older file's bytes would stay where nothing is written
        made.reserve(bytes);
        return made;
    });
    // MPI-IO wants shared memory, which a machine may refuse; one rank does without both.
    if (ranks.size() == 1) {
        auto impl = std::make_unique<Impl>(H5I_INVALID_HID, file);
        impl->writing = std::make_unique<DriverTarget>(std::move(*raw));
        impl->writing->in_place = true;
        impl->make();
        return H5File(std::move(impl));
    }
    const H5Id access = access_list();
    comm::Communicator group = ranks.dup();
    check(H5Pset_fapl_mpio(access.get(), group.raw(), MPI_INFO_NULL), "H5Pset_fapl_mpio");
    check(H5Pset_all_coll_metadata_ops(access.get(), true), "H5Pset_all_coll_metadata_ops");
    check(H5Pset_coll_metadata_write(access.get(), true), "H5Pset_coll_metadata_write");
    auto impl = std::make_unique<Impl>(created(file, access), file);
    impl->ranks.emplace(std::move(group));
    return H5File(std::move(impl));
}

void H5File::close() {
    if (impl_->file < 0) return;
    impl_->require_written();
    check(H5Fclose(std::exchange(impl_->file, H5I_INVALID_HID)), "H5Fclose");
    impl_->require_written();
    if (impl_->writing) impl_->writing->file.resize(impl_->writing->end);
    if (impl_->target) impl_->target->commit();
}

std::vector<std::string> H5File::children(const std::string& group) const {
    const H5Id id = impl_->group(group);
    H5G_info_t facts{};
    check(H5Gget_info(id.get(), &facts), "H5Gget_info");
    const auto name_of = [&](hsize_t i, char* out, std::size_t size) {
        return check(H5Lget_name_by_idx(id.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, out, size,
                                        H5P_DEFAULT),
                     "H5Lget_name_by_idx");
    };
    std::vector<std::string> names(facts.nlinks);
    for (hsize_t i = 0; i < facts.nlinks; ++i) {
        names[i].resize(static_cast<std::size_t>(name_of(i, nullptr, 0)));
        name_of(i, names[i].data(), names[i].size() + 1);
    }
    return names;
}

}  // namespace civitas::hdf5
