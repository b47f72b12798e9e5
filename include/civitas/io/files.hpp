#pragma once
/// Files that appear under their final name only when whole.
#include "civitas/base/signals.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace civitas::io {

/// What kind of file was found, for messages: "a folder", "a device".
[[nodiscard]] std::string kind_of(const std::filesystem::file_status& found);
/// Where a name leads after all links: what a link's target would be even when it does not exist
/// yet. Throws Error for links that lead in a circle.
[[nodiscard]] std::filesystem::path target_of(const std::filesystem::path& name);

/// Everything in a folder, in no order. Throws UnreadableError, with a hint, for one that cannot be
/// listed.
[[nodiscard]] std::vector<std::filesystem::directory_entry> entries_of(
    const std::filesystem::path& folder);

/// Makes an empty file beside `target` for what is to become it, `target.part-0123abcd`: a name
/// that nothing had, so that no two programs write into one file and nobody's file is touched.
[[nodiscard]] std::filesystem::path make_part(const std::filesystem::path& target,
                                              std::error_code& failed);
/// What a file was to become, by the name of its part (make_part's, or NAME.part, which locks in
/// the making have); nothing for other names.
[[nodiscard]] std::optional<std::string> name_of_part(const std::string& name);

/// Whether a file may take the place of one that is there: where the name is the program's own, or
/// the user has said so.
enum class Replace { no, yes };
[[nodiscard]] constexpr Replace replace_if(bool said) { return said ? Replace::yes : Replace::no; }

/// A file in the making: write to part(), then commit(). Without commit the part is removed. A link
/// stays: the file it leads to is replaced.
/// Used by one rank (the root); the others learn of success through comm::agree.
class AtomicFile {
public:
    /// Throws Error with a hint when the folder is missing or cannot be written, or when the name
    /// belongs to what is no regular file, or to any file that is not to be replaced.
    explicit AtomicFile(const std::filesystem::path& final_name, Replace replace = Replace::yes);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    [[nodiscard]] const std::filesystem::path& part() const noexcept { return part_; }
    /// Puts the part under its name: fsync of the part, rename, fsync of the folder. Throws Error
    /// when something has appeared under the name that is not to be replaced.
    void commit();

private:
    std::filesystem::path final_, part_;
    Replace replace_;
    bool pending_ = true;
};

/// Copies a file, whole or not at all, to a name that nothing has. Throws Error.
void copy_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// Writes a whole text atomically.
void write_text_file(const std::filesystem::path& file, const std::string& content,
                     Replace replace = Replace::yes);
/// Reads a whole text. Throws Error for a file of more than `most` bytes, before anything of it is
/// read.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file,
                                         std::uint64_t most = std::uint64_t{1} << 30);

/// A file read or written at given offsets, from any thread. Errors name the file.
class RawFile {
public:
    /// Opens a file to read and never waits: a FIFO, a device or a folder is an Error.
    static RawFile open_to_read(const std::filesystem::path& file);
    /// Opens a file to write: made when missing, never truncated.
    static RawFile open_to_write(const std::filesystem::path& file);
    /// Opens a file to write that must be there: throws Error when it is missing.
    static RawFile open_existing_to_write(const std::filesystem::path& file);

    void read_at(std::uint64_t offset, std::span<std::byte> out) const;
    void write_at(std::uint64_t offset, std::span<const std::byte> data) const;
    /// Makes sure that the disk has room for bytes [0, size): posix_fallocate.
    void reserve(std::uint64_t size) const;
    /// Sets aside room for bytes [offset, offset + size) of a file that stays as long as it is.
    /// Throws Error on a full disk; a file system that sets nothing aside does nothing.
    void set_aside(std::uint64_t offset, std::uint64_t size) const;
    /// Makes the file end at `size` bytes.
    void resize(std::uint64_t size) const;
    void sync() const;
    /// What is read next comes from the storage, as far as the kernel can forget what it holds of
    /// the file in memory. Call sync() before.
    void drop_cache() const noexcept;
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] const std::filesystem::path& name() const noexcept { return name_; }

private:
    RawFile(Descriptor descriptor, std::filesystem::path name);
    Descriptor descriptor_;
    std::filesystem::path name_;
};

}  // namespace civitas::io
