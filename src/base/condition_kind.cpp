#include "civitas/base/condition_kind.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<ConditionKind>, 3> conditions{{{"none", ConditionKind::none},
                                                               {"cover", ConditionKind::cover},
                                                               {"source", ConditionKind::source}}};

}  // namespace

ConditionKind parse_condition(std::string_view name) {
    return value_named(name, "condition", conditions);
}
std::string_view to_string(ConditionKind kind) { return name_of(kind, conditions); }

}  // namespace civitas
