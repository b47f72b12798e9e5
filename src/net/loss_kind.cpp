#include "civitas/net/loss_kind.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace civitas::net {
namespace {

constexpr std::array<std::pair<std::string_view, LossKind>, 3> names{
    {{"bce", LossKind::bce}, {"lsgan", LossKind::lsgan}, {"hinge", LossKind::hinge}}};

}  // namespace

LossKind parse_loss(std::string_view name) {
    std::vector<std::string> known;
    for (const auto& [word, kind] : names) {
        if (word == name) return kind;
        known.emplace_back(word);
    }
    const auto guess = nearest(name, known);
    throw UsageError(text("unknown loss '", name, "'"),
                     {text(guess ? "did you mean " + *guess + "? Known are " : "known are ",
                           "bce, lsgan, hinge")});
}

std::string_view to_string(LossKind kind) {
    for (const auto& [word, known] : names)
        if (known == kind) return word;
    return "";
}

}  // namespace civitas::net
