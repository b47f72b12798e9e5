#include "civitas/base/offload.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<Offload>, 3> offloads{
    {{"none", Offload::none}, {"host", Offload::host}, {"disk", Offload::disk}}};

}  // namespace

Offload parse_offload(std::string_view name) { return value_named(name, "offload", offloads); }

std::string_view to_string(Offload offload) { return name_of(offload, offloads); }

std::string_view place_of(Offload offload) {
    switch (offload) {
        case Offload::none: break;
        case Offload::host: return "in host memory";
        case Offload::disk: return "on a disk";
    }
    return "in memory";
}

}  // namespace civitas
