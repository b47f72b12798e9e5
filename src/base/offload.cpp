#include "civitas/base/offload.hpp"

#include "civitas/base/error.hpp"

namespace civitas {

Offload parse_offload(std::string_view name) {
    if (name == "none") return Offload::none;
    if (name == "host") return Offload::host;
    if (name == "disk") return Offload::disk;
    throw UsageError(text("unknown offload '", name, "'"), Hint{"none, host or disk"});
}

std::string_view to_string(Offload offload) {
    switch (offload) {
        case Offload::none: return "none";
        case Offload::host: return "host";
        case Offload::disk: return "disk";
    }
    return "";
}

}  // namespace civitas
