#include "civitas/io/unused_name.hpp"

namespace civitas::io {

std::filesystem::path unused_name(const std::filesystem::path& file, const std::string& ending) {
    const std::string whole = file.string() + ending;
    std::filesystem::path name = whole;
    for (int n = 2; std::filesystem::exists(std::filesystem::symlink_status(name)); ++n)
        name = whole + std::to_string(n);
    return name;
}

std::filesystem::path set_aside(const std::filesystem::path& file, const std::string& ending) {
    std::filesystem::path name = unused_name(file, ending);
    std::filesystem::rename(file, name);
    return name;
}

}  // namespace civitas::io
