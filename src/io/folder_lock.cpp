#include "civitas/io/folder_lock.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/base/text.hpp"
#include "civitas/io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <thread>

namespace civitas::io {
namespace {

namespace fs = std::filesystem;

Descriptor lock_opened(const fs::path& file, int flags) {
    constexpr mode_t everyone_reads = 0644;
    return Descriptor(::open(file.c_str(), flags | O_CLOEXEC, everyone_reads));
}

/// Whether the kernel lets this open file be the only one that is locked; nothing where the file
/// system has no locks.
std::optional<bool> locked(const Descriptor& file) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(file.get(), F_OFD_SETLK, &whole) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    return {};
}

bool same_file(const Descriptor& open, const fs::path& name) {
    struct stat mine {};
    struct stat named {};
    return ::fstat(open.get(), &mine) == 0 && ::stat(name.c_str(), &named) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

std::string words_in(const Descriptor& file) {
    std::string words(4096, '\0');
    const ssize_t n = ::pread(file.get(), words.data(), words.size(), 0);
    words.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return words;
}

std::string name_of(const LockOwner& owner) {
    return text("process ", owner.process.number, " on host ", owner.process.host, " since ",
                owner.since, owner.job.empty() ? "" : ", job " + owner.job);
}

/// What stands in a lock. The file stays locked while this is looked at, so that of several
/// processes that find its owner ended one takes it over.
struct Found {
    Descriptor file;
    std::optional<LockOwner> owner;
    Owner state = Owner::elsewhere;
    bool gone = false;  ///< released while it was looked at
};

Found look_at(const fs::path& lock, const LockOwner& me) {
    Found found;
    found.file = lock_opened(lock, O_RDWR | O_NONBLOCK);
    if (!found.file) found.file = lock_opened(lock, O_RDONLY | O_NONBLOCK);
    const bool free = !found.file || locked(found.file).value_or(true);
    found.gone = found.file ? !same_file(found.file, lock)
                            : fs::symlink_status(lock).type() == fs::file_type::not_found;
    if (found.gone || !found.file) return found;
    found.owner = parse_owner(words_in(found.file));
    if (found.owner)
        found.state = judge(*found.owner, me, start_of_process(found.owner->process.number));
    if (!free && found.state == Owner::ended) found.state = Owner::lives;
    return found;
}

[[noreturn]] void refuse(const fs::path& folder, const fs::path& lock, const Found& found) {
    const std::string remove = text("rm ", shell_quoted(lock.string()));
    if (!found.owner)
        throw Error(text(folder, " is in use: its lock ", lock, " does not say by whom"),
                    Hint{text("if no other process works in it, ", remove)});
    if (found.state == Owner::lives)
        throw Error(text(folder, " is in use by ", name_of(*found.owner)),
                    Hint{"wait until that ends, end it, or take another folder"});
    throw Error(text(folder, " is in use by ", name_of(*found.owner),
                     ", which cannot be seen from ", this_process().host),
                Hint{text("if that process has ended, ", remove)});
}

/// A file with the owner's words, locked, under a name of its own.
class Draft {
public:
    Draft(const fs::path& lock, const LockOwner& me)
        : name_(text(lock.string(), '.', me.process.host, '.', me.process.number, ".part")),
          file_(lock_opened(name_, O_RDWR | O_CREAT | O_TRUNC)) {
        const std::string words = to_text(me);
        if (!file_ || ::pwrite(file_.get(), words.data(), words.size(), 0) != std::ssize(words) ||
            ::fsync(file_.get()) != 0) {
            const std::string reason = system_error();
            ::unlink(name_.c_str());
            throw Error(text("cannot write the lock ", lock, ": ", reason),
                        Hint{"check the rights and the free space of its folder"});
        }
        (void)locked(file_);
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() { ::unlink(name_.c_str()); }

    /// False when somebody has cleared it away, as the owner of the folder does with what killed
    /// processes left.
    [[nodiscard]] bool is_there() const { return same_file(file_, name_); }
    /// True when the lock is now this file, which was not there before.
    [[nodiscard]] bool becomes(const fs::path& lock) const {
        const int error = ::link(name_.c_str(), lock.c_str()) == 0 ? 0 : errno;
        // A file server may have made the link and lost its answer.
        if (error == 0 || same_file(file_, lock)) return true;
        if (error != EPERM && error != EOPNOTSUPP && error != ENOSYS) return false;
        // No links on this file system: the name is taken first and filled at once.
        return lock_opened(lock, O_RDWR | O_CREAT | O_EXCL) && replaces(lock);
    }
    [[nodiscard]] bool replaces(const fs::path& lock) const {
        return ::rename(name_.c_str(), lock.c_str()) == 0;
    }
    [[nodiscard]] Descriptor release() { return std::move(file_); }

private:
    fs::path name_;
    Descriptor file_;
};

}  // namespace

LockOwner this_owner() {
    const JobStart start = this_job_start();
    return {this_process(), now_in_words(), start.job, start.restarts};
}

std::string to_text(const LockOwner& o) {
    return text("host = ", o.process.host, "\npid = ", o.process.number,
                "\nboot = ", o.process.boot, "\nstart = ", o.process.start, "\nsince = ", o.since,
                "\njob = ", o.job, "\nrestart = ", o.restart, '\n');
}

std::optional<LockOwner> parse_owner(const std::string& lines) {
    std::map<std::string, std::string> values;
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);)
        if (const auto at = line.find(" = "); at != std::string::npos)
            values[line.substr(0, at)] = line.substr(at + 3);
    for (const char* name : {"host", "pid", "boot", "start", "since", "job", "restart"})
        if (!values.contains(name)) return {};
    const auto number = [&](const char* name) {
        return std::strtoull(values.at(name).c_str(), nullptr, 10);
    };
    return LockOwner{{values.at("host"), values.at("boot"),
                      static_cast<std::int64_t>(number("pid")), number("start")},
                     values.at("since"),
                     values.at("job"),
                     static_cast<std::int64_t>(number("restart"))};
}

Owner judge(const LockOwner& owner, const LockOwner& me, std::optional<std::uint64_t> start) {
    const bool same_boot = !owner.process.boot.empty() && owner.process.boot == me.process.boot;
    if (same_boot) return start && *start == owner.process.start ? Owner::lives : Owner::ended;
    if (owner.process.host == me.process.host) return Owner::ended;
    const bool began_again = is_earlier_start({owner.job, owner.restart}, {me.job, me.restart});
    return began_again ? Owner::ended : Owner::elsewhere;
}

FolderLock::FolderLock(const fs::path& folder, double patience,
                       const std::function<void(const std::string&)>& warn)
    : file_(folder / "lock") {
    const LockOwner me = this_owner();
    const Stopwatch watch;
    std::optional<Draft> draft(std::in_place, file_, me);
    while (!draft->becomes(file_)) {
        const Found found = look_at(file_, me);
        if (found.gone) {
            if (watch.seconds() > patience)
                throw Error(text("cannot make the lock ", file_, ": ", system_error()));
        } else if (found.owner && found.state == Owner::ended) {
            warn(text("took over ", folder, " from ", name_of(*found.owner), ", which has ended"));
            if (draft->replaces(file_)) break;
        } else if (found.state != Owner::lives || watch.seconds() > patience) {
            refuse(folder, file_, found);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (!draft->is_there()) draft.emplace(file_, me);
    }
    held_ = draft->release();
}

FolderLock::~FolderLock() { release(); }

void FolderLock::release() const {
    if (same_file(held_, file_)) ::unlink(file_.c_str());
}

}  // namespace civitas::io
