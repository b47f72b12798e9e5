#pragma once
/// A map that the user already has and that gets more layers.
#include <filesystem>
#include <string>
#include <vector>

namespace civitas::vectorize {

/// A GeoPackage as it was when it was looked at. The layers go into a copy of it, so that it stays
/// whole whatever happens.
class ExistingMap {
public:
    /// Throws Error unless `file` is a GeoPackage that has none of `layers`.
    ExistingMap(std::filesystem::path file, const std::vector<std::string>& layers);

    /// Throws Error when `copy` cannot be written whole.
    void copy_to(const std::filesystem::path& copy) const;
    /// Throws Error when another program has written to the file since it was looked at: its work
    /// would be lost.
    void require_unchanged() const;

private:
    std::filesystem::path file_;
    std::filesystem::file_time_type written_;
};

}  // namespace civitas::vectorize
