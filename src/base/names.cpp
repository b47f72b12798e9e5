#include "civitas/base/names.hpp"

#include "civitas/base/text.hpp"

namespace civitas {

void refuse_name(std::string_view what, std::string_view name,
                 const std::vector<std::string_view>& known) {
    std::string all;
    for (std::size_t i = 0; i < known.size(); ++i)
        all += text(i == 0 ? "" : i + 1 < known.size() ? ", " : " or ", known[i]);
    throw UsageError(text("unknown ", what, " '", name, "'"), Hint{all});
}

}  // namespace civitas
