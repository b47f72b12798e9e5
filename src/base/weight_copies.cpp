#include "civitas/base/weight_copies.hpp"

#include "civitas/base/error.hpp"

namespace civitas {

WeightCopies parse_weight_copies(std::string_view name) {
    if (name == "node") return WeightCopies::node;
    if (name == "rank") return WeightCopies::rank;
    throw UsageError(text("unknown weight copies '", name, "'"), Hint{"node or rank"});
}

std::string_view to_string(WeightCopies copies) {
    switch (copies) {
        case WeightCopies::node: return "node";
        case WeightCopies::rank: return "rank";
    }
    return "";
}

}  // namespace civitas
