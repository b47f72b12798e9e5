#pragma once
/// HDF5 as we use it: one owner per file, typed datasets, errors that carry HDF5's own stack. No
/// HDF5 name leaves this module. All calls belong to the main thread: the library is not
/// thread-safe, and MPI-IO neither.
#include "civitas/base/numbers.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/io/files.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace civitas::hdf5 {

/// HDF5 itself.
[[nodiscard]] Component component();

enum class ElementType { u8, u16, i32, i64, u64, f32, f64 };

template <class T>
[[nodiscard]] constexpr ElementType element_type();
template <>
constexpr ElementType element_type<std::uint8_t>() {
    return ElementType::u8;
}
template <>
constexpr ElementType element_type<std::uint16_t>() {
    return ElementType::u16;
}
template <>
constexpr ElementType element_type<std::int32_t>() {
    return ElementType::i32;
}
template <>
constexpr ElementType element_type<std::int64_t>() {
    return ElementType::i64;
}
template <>
constexpr ElementType element_type<std::uint64_t>() {
    return ElementType::u64;
}
template <>
constexpr ElementType element_type<float>() {
    return ElementType::f32;
}
template <>
constexpr ElementType element_type<double>() {
    return ElementType::f64;
}

using Extent = std::vector<std::uint64_t>;

struct DatasetSpec {
    std::string name = {};  ///< absolute; missing groups on the way are made
    ElementType type = ElementType::u8;
    Extent shape = {};
    Extent chunk = {};  ///< empty: contiguous, allocated at once, never filled
    int deflate = 0;    ///< 1..9; needs chunks, and a file of one process
};

/// Where the bytes of a chunk lie in the file.
struct ChunkAddress {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< as stored (compressed)
};

/// An open HDF5 file. Only what lies in the file itself is read: links other than hard ones, data
/// in other files and values larger than the file can hold are errors. So is a structure that HDF5
/// could not read without harm: what it is about to read of a file is checked before.
class H5File {
public:
    /// Opens a file read-only, by the serial driver, without file locking: every rank may open the
    /// same file at once. Throws Error with a hint when it is missing, truncated or no HDF5 file.
    [[nodiscard]] static H5File open(const std::filesystem::path& file);
    /// Makes a file of this process alone, written as it grows beside its name: close() puts it
    /// under it, without close() nothing is left. A full disk is an Error of the call that meets
    /// it. Data of 4 KiB and more are aligned to 4 KiB.
    [[nodiscard]] static H5File create(const std::filesystem::path& file,
                                       io::Replace replace = io::Replace::yes);
    /// Makes a file of all ranks, for large contiguous arrays: through MPI-IO where they are
    /// several. It is made under its name, once there is room for `bytes`. Collective, as are all
    /// calls on it from here on. Throws AgreedError when there is no room for a file.
    [[nodiscard]] static H5File create(const std::filesystem::path& file,
                                       const comm::Communicator& ranks,
                                       std::uint64_t bytes = std::uint64_t{1} << 20);
    H5File(H5File&&) noexcept;
    H5File& operator=(H5File&&) noexcept;
    H5File(const H5File&) = delete;
    H5File& operator=(const H5File&) = delete;
    ~H5File();

    /// Closes the file and reports what only closing can report (a full disk). Collective if the
    /// file is.
    void close();

    void create_dataset(const DatasetSpec& spec);
    /// Writes rows of a dataset (its first dimension). On a file of all ranks collective: a rank
    /// with nothing to write passes an empty range and an empty span.
    template <class T>
    void write_rows(const std::string& name, Range rows, std::span<const T> values) {
        write(name, rows, element_type<T>(), values.data(), values.size());
    }
    template <class T>
    [[nodiscard]] std::vector<T> read_rows(const std::string& name, Range rows) const {
        std::vector<T> values(elements(name, rows));
        read(name, rows, element_type<T>(), values.data());
        return values;
    }
    template <class T>
    [[nodiscard]] std::vector<T> read_all(const std::string& name) const {
        const Extent extent = shape(name);  // none of a single value, which has no rows
        return read_rows<T>(name,
                            {0, extent.empty() ? 1 : static_cast<std::int64_t>(extent.front())});
    }

    /// Writes the stored (compressed) bytes of the chunk that begins at `row`, on a file of one
    /// process.
    void write_chunk(const std::string& name, std::uint64_t row, std::span<const std::byte> stored);

    /// Writes a UTF-8 text as a dataset of one fixed-length string (attributes end at 64 kB). On a
    /// file of all ranks collective, with the same text on each.
    void write_text(const std::string& name, const std::string& value);
    [[nodiscard]] std::string read_text(const std::string& name) const;
    /// Writes UTF-8 texts as a row of strings of one length, on a file of one process.
    void write_texts(const std::string& name, const std::vector<std::string>& values);
    [[nodiscard]] std::vector<std::string> read_texts(const std::string& name) const;

    /// Sets a small attribute of an object ("/" is the file). Collective if the file is.
    void set_attribute(const std::string& object, const std::string& name, double value);
    void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
    void set_attribute(const std::string& object, const std::string& name, std::uint64_t value);
    void set_attribute(const std::string& object, const std::string& name,
                       const std::string& value);
    [[nodiscard]] double number_attribute(const std::string& object, const std::string& name) const;
    [[nodiscard]] std::int64_t integer_attribute(const std::string& object,
                                                 const std::string& name) const;
    /// The value of an attribute of unsigned whole numbers, exact to the last bit.
    [[nodiscard]] std::uint64_t count_attribute(const std::string& object,
                                                const std::string& name) const;
    [[nodiscard]] bool is_count_attribute(const std::string& object, const std::string& name) const;
    [[nodiscard]] std::string text_attribute(const std::string& object,
                                             const std::string& name) const;
    [[nodiscard]] bool is_text_attribute(const std::string& object, const std::string& name) const;
    [[nodiscard]] bool has_attribute(const std::string& object, const std::string& name) const;
    [[nodiscard]] std::vector<std::string> attributes(const std::string& object) const;

    [[nodiscard]] bool has(const std::string& name) const;
    /// Names below a group, in alphabetical order.
    [[nodiscard]] std::vector<std::string> children(const std::string& group) const;
    [[nodiscard]] Extent shape(const std::string& dataset) const;
    [[nodiscard]] ElementType type(const std::string& dataset) const;

    /// File offset of a contiguous dataset. Precondition: it has elements (empty ones have none).
    [[nodiscard]] std::uint64_t offset(const std::string& dataset) const;
    /// Address of each chunk of a dataset whose chunks are whole rows, in row order. One pass over
    /// the chunk index of HDF5's first format, or with HDF5 1.14 of any; of other files time grows
    /// with the square of the number of chunks.
    [[nodiscard]] std::vector<ChunkAddress> row_chunks(const std::string& dataset) const;

private:
    struct Impl;
    explicit H5File(std::unique_ptr<Impl> impl);
    [[nodiscard]] std::size_t elements(const std::string& name, Range rows) const;
    void write(const std::string& name, Range rows, ElementType type, const void* values,
               std::size_t count);
    void read(const std::string& name, Range rows, ElementType type, void* values) const;

    std::unique_ptr<Impl> impl_;
};

}  // namespace civitas::hdf5
