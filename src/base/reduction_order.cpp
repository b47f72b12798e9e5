#include "civitas/base/reduction_order.hpp"

#include "civitas/base/error.hpp"

namespace civitas {

Reduction parse_reduction(std::string_view name) {
    if (name == "tree") return Reduction::tree;
    if (name == "fast") return Reduction::fast;
    throw UsageError(text("unknown reduction '", name, "'"), Hint{"tree or fast"});
}

std::string_view to_string(Reduction reduction) {
    return reduction == Reduction::tree ? "tree" : "fast";
}

}  // namespace civitas
