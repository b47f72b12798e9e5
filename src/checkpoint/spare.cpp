#include "civitas/checkpoint/spare.hpp"

#include "civitas/base/signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace civitas::checkpoint {
namespace {

namespace fs = std::filesystem;

// A lease for writing is granted to the only one who has a file open. Who opens it before the lease
// is given back sends a signal, which is to be one that a process ignores.
bool is_ours_alone(const fs::path& file) {
    const Descriptor opened(::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts {};
    if (!opened || ::fstat(opened.get(), &facts) != 0) return false;
    if (!S_ISREG(facts.st_mode) || facts.st_nlink != 1) return false;
    return ::fcntl(opened.get(), F_SETSIG, SIGURG) == 0 &&
           ::fcntl(opened.get(), F_SETLEASE, F_WRLCK) == 0 &&
           ::fcntl(opened.get(), F_SETLEASE, F_UNLCK) == 0;
}

}  // namespace

Spare::Spare(const fs::path& checkpoint) : part_(checkpoint.string() + ".part") {
    fs::rename(checkpoint, part_);
}
Spare::Spare(Spare&& other) noexcept : part_(std::exchange(other.part_, {})) {}
Spare& Spare::operator=(Spare&& other) noexcept {
    remove();
    part_ = std::exchange(other.part_, {});
    return *this;
}
Spare::~Spare() { remove(); }

bool Spare::may_be_written_over() const { return !part_.empty() && is_ours_alone(part_); }

void Spare::remove() noexcept {
    std::error_code gone;
    if (!part_.empty()) fs::remove(part_, gone);
    part_.clear();
}

}  // namespace civitas::checkpoint
