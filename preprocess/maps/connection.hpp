#pragma once
/// Inputs that are no files: databases and services that GDAL connects to by its own strings.
#include <string>

namespace civitas::maps {

/// In the place of the hash of what is not a file, whose content nobody can compare later.
inline constexpr const char* no_hash = "unhashed";

/// The GDAL driver for `PG:...` (PostGIS) or `WFS:...`; null for the names of files.
[[nodiscard]] const char* driver_of_connection(const std::string& input);

/// The words with passwords as `***`: those of `password=...` and of `//user:password@`.
[[nodiscard]] std::string without_secrets(const std::string& words);

/// What a driver says of a connection that failed, without its password. Where that holds an `@`,
/// which ends it for some and does not for others, a driver's words may tell a part of it: nothing
/// of them is left then.
[[nodiscard]] std::string words_of_driver(const std::string& words, const std::string& input);

}  // namespace civitas::maps
