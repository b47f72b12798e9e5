#include "civitas/base/version.hpp"

#include <algorithm>

namespace civitas {

std::string_view version() noexcept { return CIVITAS_VERSION; }

std::string to_text(const std::vector<Component>& components) {
    std::size_t width = 0;
    for (const Component& component : components) width = std::max(width, component.name.size());
    std::string lines;
    for (const auto& [name, version] : components)
        lines.append("  ").append(name).append(width - name.size() + 2, ' ').append(version + '\n');
    return lines;
}

}  // namespace civitas
