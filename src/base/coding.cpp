#include "civitas/base/coding.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<Coding>, 3> codings{
    {{"colour", Coding::colour}, {"grey", Coding::grey}, {"rgb", Coding::rgb}}};

}  // namespace

Coding parse_coding(std::string_view name) { return value_named(name, "coding", codings); }

std::string_view to_string(Coding coding) { return name_of(coding, codings); }

}  // namespace civitas
