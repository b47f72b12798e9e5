#pragma once
/// HDF5 behind one owner per id and errors as exceptions. Included by this module's sources only.
#include "sound.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/handle.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/io/files.hpp"

#include <hdf5.h>
#include <exception>
#include <optional>
#include <source_location>
#include <string_view>

namespace civitas::hdf5 {

struct H5Traits {
    using type = hid_t;
    static type null() noexcept { return H5I_INVALID_HID; }
    static void destroy(type id) noexcept { H5Idec_ref(id); }  // closes an id of any kind
};
using H5Id = Handle<H5Traits>;

/// What HDF5 reports of its last failing call, outermost function first; empties its stack.
[[nodiscard]] std::string take_error_stack();

/// Whether the words are of a call to the system that has failed, not of a damaged file.
[[nodiscard]] inline bool is_of_system(std::string_view words) {
    return words.find("errno = ") != words.npos;
}

/// Throws what HDF5 reports of a call of its own that has failed: an UnreadableError where the
/// system refused it.
[[noreturn]] void throw_failure(const char* call, std::source_location at);

/// Throws unless an HDF5 call went well (failures are negative); gives its result back.
template <class Result>
Result check(Result result, const char* call,
             std::source_location at = std::source_location::current()) {
    if (result < 0) throw_failure(call, at);
    return result;
}

/// An id that a call has just made.
[[nodiscard]] inline H5Id owned(hid_t id, const char* call,
                                std::source_location at = std::source_location::current()) {
    return H5Id(check(id, call, at));
}

/// Where HDF5 writes. HDF5 1.10 crashes when the program ends after a write failed, so it never
/// learns of one: the first failure is kept here, later writes are left out, and whoever called
/// HDF5 throws.
struct DriverTarget {
    explicit DriverTarget(io::RawFile raw) : file(std::move(raw)) {}

    /// Throws the first failure, if there was one.
    void require_written() const {
        if (failure) std::rethrow_exception(failure);
    }

    io::RawFile file;
    std::exception_ptr failure = nullptr;
    bool in_place = false;  ///< its owner has set room aside: gaps are left alone
    bool given_up = false;  ///< nothing more is to be written
    std::uint64_t end = 0;  ///< of the file, once HDF5 has closed it
};

struct H5File::Impl {
    Impl(hid_t id, std::filesystem::path path);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] hid_t id() const;
    /// Makes a file of one process where `writing` says.
    void make();
    /// Throws what went wrong in writing a file of one process, if anything did.
    void require_written() const;
    /// To be called before HDF5 opens an object. Throws unless `object_name` is reached by hard
    /// links alone (any other leads out of the file or nowhere, and may lead to what blocks for
    /// ever) through objects that HDF5 can read without harm.
    void require_safe(const std::string& object_name) const;
    /// Throws for a dataset that keeps its data in other files.
    void require_own_data(const std::string& what, const ObjectFacts& facts) const;
    /// Throws when a value of this size cannot come from a file of this size; compressed data, of a
    /// dataset in chunks, may be larger.
    void require_plausible(const std::string& what, std::uint64_t bytes,
                           const H5Id* dataset = nullptr) const;
    /// Throws when the room that a dataset of this size has in the file is another: HDF5 1.10 reads
    /// past its buffers then. Precondition: the dataset lies in one piece.
    void require_room(const std::string& what, const H5Id& dataset, std::uint64_t bytes) const;
    [[nodiscard]] H5Id dataset(const std::string& dataset_name) const;
    [[nodiscard]] H5Id object(const std::string& object_name) const;
    [[nodiscard]] H5Id group(const std::string& group_name) const;
    /// Throws why HDF5 has not opened what is named so.
    [[noreturn]] void refuse_opened(const std::string& what, const char* kind) const;
    [[nodiscard]] std::string place(const std::string& what) const;  ///< for messages

    hid_t file;
    std::filesystem::path name;
    std::unique_ptr<SoundFile> sound = {};         ///< of a file opened to read
    std::optional<comm::Communicator> ranks = {};  ///< of a file that many ranks write
    std::optional<io::AtomicFile> target = {};     ///< of a file that gets its name in the end
    std::unique_ptr<DriverTarget> writing = {};    ///< of a file that one process writes
};

/// Whether the dataset lies in chunks, not in one piece.
[[nodiscard]] bool is_chunked(const H5Id& dataset);
[[nodiscard]] hid_t native(ElementType type);
[[nodiscard]] std::size_t bytes_of(ElementType type);
[[nodiscard]] const char* to_string(ElementType type);
/// Whether the type is of numbers that processors know, in either order of their bytes: HDF5 1.10
/// believes a file that places their bits elsewhere.
[[nodiscard]] bool is_plain_number(hid_t type);
/// Nothing for a type that no data of ours have.
[[nodiscard]] std::optional<ElementType> known_type(hid_t type);
/// A type of UTF-8 texts of `length` bytes.
[[nodiscard]] H5Id text_type(std::size_t length);
/// Throws for texts of variable length at `place`: HDF5 1.10 believes the length and the heap
/// address that the file states, and a forged one makes it write past its buffers or never return.
void require_fixed_length(hid_t type, const std::string& place);
/// A text of fixed length without the zeros behind it.
[[nodiscard]] std::string without_padding(std::string value);
/// The text in a value of type `type` that `read(buffer)` fetches; see require_fixed_length().
template <class Read>
[[nodiscard]] std::string text_value(hid_t type, const std::string& place, Read&& read) {
    require_fixed_length(type, place);
    std::string value(H5Tget_size(type), '\0');
    read(value.data());
    return without_padding(std::move(value));
}

}  // namespace civitas::hdf5
