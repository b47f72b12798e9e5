#pragma once
/// Inputs that are no files: databases and services that GDAL connects to by its own strings.
#include <string>
#include <vector>

namespace civitas::maps {

/// In the place of the hash of what is not a file, whose content nobody can compare later.
inline constexpr const char* no_hash = "unhashed";

/// The GDAL driver for `PG:...` (PostGIS) or `WFS:...`; null for the names of files.
[[nodiscard]] const char* driver_of_connection(const std::string& input);

/// The words with passwords as `***`: those of `password=...` and of `//user:password@`.
[[nodiscard]] std::string without_secrets(const std::string& words);

/// The passwords in a connection, and what stands between the signs (`@`, `/`, ...) where libraries
/// cut an address in which they are not written as %40: these quote parts of them as hosts. The
/// longest first.
[[nodiscard]] std::vector<std::string> secrets_of(const std::string& connection);
/// The words with these and what without_secrets hides as `***`.
[[nodiscard]] std::string without(const std::vector<std::string>& secrets,
                                  const std::string& words);

}  // namespace civitas::maps
