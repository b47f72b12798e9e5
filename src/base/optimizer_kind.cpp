#include "civitas/base/optimizer_kind.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<OptimizerKind>, 2> optimizers{
    {{"adam", OptimizerKind::adam}, {"sgd", OptimizerKind::sgd}}};
constexpr std::array<std::string_view, 2> moments_of_adam{"exp_avg", "exp_avg_sq"};
constexpr std::array<std::string_view, 1> moments_of_sgd{"momentum_buffer"};

}  // namespace

OptimizerKind parse_optimizer(std::string_view name) {
    return value_named(name, "optimizer", optimizers);
}
std::string_view to_string(OptimizerKind kind) { return name_of(kind, optimizers); }

std::span<const std::string_view> moments_of(OptimizerKind kind, double momentum) {
    if (kind == OptimizerKind::adam) return moments_of_adam;
    if (momentum > 0) return moments_of_sgd;
    return {};
}

}  // namespace civitas
