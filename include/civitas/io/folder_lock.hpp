#pragma once
/// One process at a time works in a folder: a file `lock` in it that names the owner.
#include "civitas/base/process.hpp"
#include "civitas/base/signals.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace civitas::io {

/// Who holds a folder, as written in its lock.
struct LockOwner {
    ProcessId process;
    std::string since;         ///< `2026-11-21 22:00:32 UTC`
    std::string job;           ///< of Slurm; empty outside a job
    std::int64_t restart = 0;  ///< how often Slurm has queued that job again
    friend bool operator==(const LockOwner&, const LockOwner&) = default;
};
/// This process as an owner, now, in the job that the environment names.
[[nodiscard]] LockOwner this_owner();
/// An owner as lines `name = value`; parse_owner() reads them, and gives nothing when a line is
/// missing.
[[nodiscard]] std::string to_text(const LockOwner& owner);
[[nodiscard]] std::optional<LockOwner> parse_owner(const std::string& lines);

/// What is known of an owner that is not this process.
enum class Owner {
    lives,     ///< on this machine
    ended,     ///< on this machine; or an earlier start of this very job
    elsewhere  ///< on another machine, where nobody here can see it
};
/// Whether the owner of a lock still lives. `start`: of the process of its number on this machine
/// now, if there is one. Pure.
[[nodiscard]] Owner judge(const LockOwner& owner, const LockOwner& me,
                          std::optional<std::uint64_t> start);

/// A folder's lock, held from construction to destruction.
///
/// Between processes of one machine it is exact on any file system: the kernel frees it when the
/// owner ends in whatever way. Between machines the lock's name, made by link(2), which a file
/// server grants to one client only, keeps a second one out; a lock left by an owner that was
/// killed on another machine stays until somebody removes it.
class FolderLock {
public:
    /// Throws Error naming the owner when the folder is held, or cannot be written. An owner on
    /// this machine that is just ending is waited for, `patience` seconds at most. `warn` is told
    /// of a lock whose owner has ended, which is taken over.
    FolderLock(const std::filesystem::path& folder, double patience,
               const std::function<void(const std::string&)>& warn);
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    FolderLock(FolderLock&&) = delete;
    FolderLock& operator=(FolderLock&&) = delete;
    ~FolderLock();

    /// Gives the folder free; what is called once more does nothing. From any thread.
    void release() const;

private:
    std::filesystem::path file_;
    Descriptor held_;
};

}  // namespace civitas::io
