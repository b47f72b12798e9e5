#pragma once
/// Files of SQLite, such as GeoPackages, and what programs that have them open hold back.
#include <filesystem>

namespace civitas::io {

/// Throws Error, with a hint, when changes to `file` lie beside it that are not in it yet. Whatever
/// gets its name would have them put into it: it must not be read, copied or replaced then.
/// The file itself may be missing; a link stands for what it leads to.
void require_no_changes_beside(const std::filesystem::path& file);

}  // namespace civitas::io
