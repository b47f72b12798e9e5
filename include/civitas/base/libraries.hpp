#pragma once
/// Shared libraries of this process.

namespace civitas {

/// Shared libraries that are loaded now stay so until the process ends, whoever closes them.
///
/// For a library that unloads its plug-ins while threads of theirs still run, which then crash.
void keep_libraries_loaded();

}  // namespace civitas
