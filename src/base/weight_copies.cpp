#include "civitas/base/weight_copies.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<WeightCopies>, 2> copies_of_weights{
    {{"node", WeightCopies::node}, {"rank", WeightCopies::rank}}};

}  // namespace

WeightCopies parse_weight_copies(std::string_view name) {
    return value_named(name, "weight copies", copies_of_weights);
}

std::string_view to_string(WeightCopies copies) { return name_of(copies, copies_of_weights); }

}  // namespace civitas
