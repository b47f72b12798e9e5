#include "civitas/base/coding.hpp"

#include "civitas/base/error.hpp"

namespace civitas {

Coding parse_coding(std::string_view name) {
    if (name == "colour") return Coding::colour;
    if (name == "grey") return Coding::grey;
    throw UsageError(text("there is no coding '", name, "'"), Hint{"colour or grey"});
}

std::string_view to_string(Coding coding) { return coding == Coding::colour ? "colour" : "grey"; }

}  // namespace civitas
