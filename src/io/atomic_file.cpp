#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/base/text.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/sync.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>
#include <utility>

namespace civitas::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view part_ending = ".part";
constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t most_digits = 8;

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void require_folder(const fs::path& file) {
    const fs::path folder = folder_of(file);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw Error(text("cannot write ", file, ": there is no folder ", folder),
                    Hint{text("mkdir -p ", shell_quoted(folder.string()))});
}

bool is_there(const fs::path& name) {
    std::error_code unknown;
    return fs::exists(fs::symlink_status(name, unknown));
}

/// Renamed over, a device, FIFO or socket would be gone. What cannot be looked at is left to open.
void require_regular(const fs::path& file) {
    std::error_code unknown;
    const auto found = fs::symlink_status(file, unknown);
    if (!fs::exists(found) || !fs::status_known(found) || fs::is_regular_file(found)) return;
    throw Error(text("cannot write ", file, ": it is ", kind_of(found)), Hint{"name a file"});
}

/// Commands look for it before they begin, and refuse to.
[[noreturn]] void refuse_to_replace(const fs::path& file) {
    throw Error(text("cannot write ", file, ": it appeared while this program ran, and is kept"),
                Hint{"does another program write there? Name another file, or --overwrite"});
}

void sync_part(const fs::path& part) {
    const Descriptor d(::open(part.c_str(), O_RDONLY | O_CLOEXEC));
    if (!d || ::fsync(d.get()) != 0) throw Error(text("cannot sync ", part, ": ", system_error()));
}

std::string random_word() {
    std::random_device random;
    std::uniform_int_distribution<std::size_t> any(0, digits.size() - 1);
    std::string word;
    while (word.size() < most_digits) word += digits[any(random)];
    return word;
}

bool same_file(const fs::path& a, const fs::path& b) {
    struct stat one {};
    struct stat other {};
    return ::lstat(a.c_str(), &one) == 0 && ::lstat(b.c_str(), &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// Gives the part a name unless something has it: false then, with EEXIST, and when it cannot be.
bool take_free_name(const fs::path& part, const fs::path& name) {
    if (::renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EEXIST) return false;
    // NFS and others know no such renaming. A server may make a link and lose its answer.
    if (::link(part.c_str(), name.c_str()) == 0 || same_file(part, name)) {
        ::unlink(part.c_str());
        return true;
    }
    if (!is_there(name)) return ::rename(part.c_str(), name.c_str()) == 0;  // others no links
    errno = EEXIST;
    return false;
}

}  // namespace

fs::path make_part(const fs::path& target, std::error_code& failed) {
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    constexpr mode_t everyone_reads = 0666;  // less the umask
    constexpr int most_tries = 100;
    for (int tries = 1;; ++tries) {
        fs::path part = target;
        part += text(part_ending, '-', random_word());
        if (Descriptor(::open(part.c_str(), flags, everyone_reads))) {
            failed.clear();
            return part;
        }
        failed.assign(errno, std::generic_category());
        if (failed != std::errc::file_exists || tries == most_tries) return {};
    }
}

std::optional<std::string> name_of_part(const std::string& name) {
    const auto at = name.rfind(part_ending);
    if (at == std::string::npos || at == 0) return {};
    const std::string_view word = std::string_view(name).substr(at + part_ending.size());
    const bool ours = word.empty() || (word.size() == 1 + most_digits && word.front() == '-' &&
                                       word.find_first_not_of(digits, 1) == word.npos);
    if (!ours) return {};
    return name.substr(0, at);
}

AtomicFile::AtomicFile(const fs::path& final_name, Replace replace)
    : final_(target_of(final_name)), replace_(replace) {
    require_folder(final_);
    require_regular(final_);
    if (replace == Replace::no && is_there(final_)) refuse_to_replace(final_);
    std::error_code failed;
    part_ = make_part(final_, failed);
    if (failed)
        throw Error(text("cannot write ", final_, ": ", failed.message()),
                    Hint{text("check the rights and the free space of ", folder_of(final_))});
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : final_(std::move(other.final_)),
      part_(std::move(other.part_)),
      replace_(other.replace_),
      pending_(std::exchange(other.pending_, false)) {}

AtomicFile::~AtomicFile() {
    if (pending_) ::unlink(part_.c_str());
}

void AtomicFile::commit() {
    sync_part(part_);
    const bool named = replace_ == Replace::yes ? ::rename(part_.c_str(), final_.c_str()) == 0
                                                : take_free_name(part_, final_);
    if (!named && replace_ == Replace::no && errno == EEXIST) refuse_to_replace(final_);
    if (!named) throw Error(text("cannot rename ", part_, " to ", final_, ": ", system_error()));
    pending_ = false;
    sync_folder(folder_of(final_));
}

}  // namespace civitas::io
