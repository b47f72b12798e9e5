#include "civitas/io/leftovers.hpp"

#include "civitas/io/files.hpp"

#include <algorithm>

namespace civitas::io {

namespace fs = std::filesystem;

void remove_parts(const fs::path& folder, const std::vector<std::string>& beginnings) {
    if (!fs::exists(folder)) return;
    for (const auto& entry : entries_of(folder)) {
        const auto whole = name_of_part(entry.path().filename().string());
        const bool ours =
            whole && std::any_of(beginnings.begin(), beginnings.end(),
                                 [&](const auto& b) { return whole->starts_with(b); });
        if (ours && entry.is_regular_file()) fs::remove(entry.path());
    }
}

}  // namespace civitas::io
