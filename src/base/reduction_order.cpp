#include "civitas/base/reduction_order.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<Reduction>, 2> reductions{
    {{"tree", Reduction::tree}, {"fast", Reduction::fast}}};

}  // namespace

Reduction parse_reduction(std::string_view name) {
    return value_named(name, "reduction", reductions);
}

std::string_view to_string(Reduction reduction) { return name_of(reduction, reductions); }

}  // namespace civitas
