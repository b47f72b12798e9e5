#include "civitas/net/precision.hpp"

#include "civitas/base/names.hpp"

namespace civitas::net {
namespace {

constexpr std::array<NamedValue<Precision>, 3> precisions{
    {{"fp32", Precision::fp32}, {"bf16", Precision::bf16}, {"fp64", Precision::fp64}}};

}  // namespace

Precision parse_precision(std::string_view name) {
    return value_named(name, "precision", precisions);
}

std::string_view to_string(Precision precision) { return name_of(precision, precisions); }

}  // namespace civitas::net
