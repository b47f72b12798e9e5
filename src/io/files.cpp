#include "civitas/io/files.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/base/unreadable.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace civitas::io {
namespace {

namespace fs = std::filesystem;

Descriptor opened(const fs::path& file, int flags) {
    constexpr mode_t everyone_reads = 0666;  // less the umask
    return Descriptor(::open(file.c_str(), flags | O_CLOEXEC, everyone_reads));
}

Hint room_hint(int error) {
    return error == ENOSPC || error == EDQUOT || error == EFBIG
               ? Hint{"free some space, or write elsewhere"}
               : Hint{};
}

Hint reading_hint(int error) {
    if (error == EMFILE || error == ENFILE) return {"raise the limit of open files: ulimit -n"};
    if (error == EACCES || error == EPERM) return {"it must be yours to read"};
    return {"try again; if it stays so, the disk or the file server fails"};
}

/// Of `action`, which has failed just now.
UnreadableError unreadable(const std::string& action) {
    const int error = errno;
    return UnreadableError(text(action, ": ", std::strerror(error)), reading_hint(error));
}

}  // namespace

std::string kind_of(const fs::file_status& found) {
    switch (found.type()) {
        case fs::file_type::regular: return "a file";
        case fs::file_type::directory: return "a folder";
        case fs::file_type::symlink: return "a link";
        case fs::file_type::fifo: return "a FIFO";
        case fs::file_type::socket: return "a socket";
        case fs::file_type::block:
        case fs::file_type::character: return "a device";
        default: return "no file";
    }
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
    std::vector<fs::directory_entry> entries;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        entries.push_back(*at);
    if (failed)
        throw UnreadableError(text("cannot list ", folder, ": ", failed.message()),
                              reading_hint(failed.value()));
    return entries;
}

fs::path target_of(const fs::path& name) {
    constexpr int most_links = 40;  // what Linux follows
    fs::path target = name;
    std::error_code failed;
    for (int links = 0; fs::is_symlink(fs::symlink_status(target, failed)); ++links) {
        const fs::path next = fs::read_symlink(target, failed);
        if (failed || links == most_links)
            throw Error(text("cannot follow the link ", name, ": it leads in a circle"),
                        Hint{"name a file"});
        target = target.parent_path() / next;  // an absolute one stands alone
    }
    return target;
}

void write_text_file(const fs::path& file, const std::string& content, Replace replace) {
    AtomicFile atomic(file, replace);
    RawFile::open_to_write(atomic.part())
        .write_at(0, std::as_bytes(std::span<const char>(content)));
    atomic.commit();
}

std::string read_text_file(const fs::path& file, std::uint64_t most) {
    const RawFile raw = RawFile::open_to_read(file);
    if (raw.size() > most)
        throw Error(text(file, " has ", raw.size(), " bytes, no text here has more than ", most),
                    Hint{"the file is damaged or of another program: remove it"});
    std::string content(raw.size(), '\0');
    raw.read_at(0, std::as_writable_bytes(std::span<char>(content)));
    return content;
}

RawFile::RawFile(Descriptor descriptor, fs::path name)
    : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

RawFile RawFile::open_to_read(const fs::path& file) {
    // A FIFO that nobody writes would block for ever.
    Descriptor d = opened(file, O_RDONLY | O_NONBLOCK);
    if (!d && (errno == ENOENT || errno == ENOTDIR))
        throw Error(text("cannot read ", file, ": ", system_error()),
                    Hint{"check the name and the folder"});
    if (!d) throw unreadable(text("cannot read ", file));
    std::error_code unknown;
    if (const auto found = fs::status(file, unknown);
        fs::exists(found) && !fs::is_regular_file(found))
        throw Error(text("cannot read ", file, ": it is ", kind_of(found)), Hint{"name a file"});
    return {std::move(d), file};
}

RawFile RawFile::open_to_write(const fs::path& file) {
    Descriptor d = opened(file, O_RDWR | O_CREAT);
    if (!d) throw Error(text("cannot write ", file, ": ", system_error()));
    return {std::move(d), file};
}

RawFile RawFile::open_existing_to_write(const fs::path& file) {
    Descriptor d = opened(file, O_RDWR);
    if (!d) throw Error(text("cannot write ", file, ": ", system_error()));
    return {std::move(d), file};
}

void RawFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
        const ssize_t n =
            ::pread(descriptor_.get(), out.data(), out.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw unreadable(text("reading ", name_, " at byte ", offset));
        if (n == 0) {
            const std::uint64_t end = std::min(offset, size());
            throw Error(text(name_, " ends at byte ", end, ", ", offset + out.size() - end,
                             " bytes before the end of what should be read"),
                        Hint{"the file is truncated: copy or make it again"});
        }
        out = out.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
}

void RawFile::write_at(std::uint64_t offset, std::span<const std::byte> data) const {
    while (!data.empty()) {
        const ssize_t n =
            ::pwrite(descriptor_.get(), data.data(), data.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            throw Error(text("writing ", name_, " at byte ", offset, ": ", system_error()),
                        room_hint(errno));
        data = data.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
}

void RawFile::reserve(std::uint64_t size) const {
    if (size == 0) return;
    const int error = ::posix_fallocate(descriptor_.get(), 0, static_cast<off_t>(size));
    if (error != 0)
        throw Error(text("no room for ", size, " bytes of ", name_, ": ", std::strerror(error)),
                    room_hint(error));
}

void RawFile::set_aside(std::uint64_t offset, std::uint64_t size) const {
    if (::fallocate(descriptor_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                    static_cast<off_t>(size)) == 0)
        return;
    if (errno == ENOSPC || errno == EDQUOT)
        throw Error(text("no room for ", size, " bytes more of ", name_, ": ", system_error()),
                    room_hint(errno));
}

void RawFile::resize(std::uint64_t size) const {
    if (::ftruncate(descriptor_.get(), static_cast<off_t>(size)) != 0)
        throw Error(text("cutting ", name_, " to ", size, " bytes: ", system_error()),
                    room_hint(errno));
}

void RawFile::sync() const {
    if (::fdatasync(descriptor_.get()) != 0)
        throw Error(text("syncing ", name_, ": ", system_error()));
}

void RawFile::drop_cache() const noexcept {
    ::posix_fadvise(descriptor_.get(), 0, 0, POSIX_FADV_DONTNEED);
}

std::uint64_t RawFile::size() const {
    struct stat facts {};
    if (::fstat(descriptor_.get(), &facts) != 0) throw unreadable(text("size of ", name_));
    return static_cast<std::uint64_t>(facts.st_size);
}

void copy_file(const fs::path& from, const fs::path& to) {
    AtomicFile copy(to, Replace::no);
    std::error_code failed;
    fs::copy_file(from, copy.part(), fs::copy_options::overwrite_existing, failed);
    if (failed)
        throw Error(text("cannot copy ", from, " to ", to, ": ", failed.message()),
                    room_hint(failed.value()));
    copy.commit();
}

}  // namespace civitas::io
