#include "civitas/base/sampling.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<Symmetries>, 3> all_symmetries{
    {{"all", Symmetries::all}, {"flip", Symmetries::flip}, {"none", Symmetries::none}}};
constexpr std::array<NamedValue<LabelSource>, 2> label_sources{
    {{"stored", LabelSource::stored}, {"source", LabelSource::source}}};

}  // namespace

Symmetries parse_symmetries(std::string_view name) {
    return value_named(name, "choice of symmetries", all_symmetries);
}
std::string_view to_string(Symmetries symmetries) { return name_of(symmetries, all_symmetries); }

LabelSource parse_label_source(std::string_view name) {
    return value_named(name, "source of labels", label_sources);
}
std::string_view to_string(LabelSource source) { return name_of(source, label_sources); }

}  // namespace civitas
