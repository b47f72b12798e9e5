#include "civitas/io/sync.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/signals.hpp"
#include "civitas/base/text.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>

namespace civitas::io {

void sync_folder(const std::filesystem::path& folder) {
    const Descriptor d(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (d && (::fsync(d.get()) == 0 || errno == EINVAL || errno == ENOTSUP)) return;
    throw Error(text("cannot sync ", folder, ": ", system_error()));
}

}  // namespace civitas::io
