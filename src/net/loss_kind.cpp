#include "civitas/net/loss_kind.hpp"

#include "civitas/base/names.hpp"

namespace civitas::net {
namespace {

constexpr std::array<NamedValue<LossKind>, 3> losses{
    {{"bce", LossKind::bce}, {"lsgan", LossKind::lsgan}, {"hinge", LossKind::hinge}}};

}  // namespace

LossKind parse_loss(std::string_view name) { return value_named(name, "loss", losses); }

std::string_view to_string(LossKind kind) { return name_of(kind, losses); }

}  // namespace civitas::net
