#pragma once
/// What must be on the disk before something else happens.
#include <filesystem>

namespace civitas::io {

/// Makes what was named, renamed or removed in a folder lasting. A file system that knows no fsync
/// of folders is left to itself. Throws Error.
void sync_folder(const std::filesystem::path& folder);

}  // namespace civitas::io
