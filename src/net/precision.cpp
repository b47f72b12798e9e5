#include "civitas/net/precision.hpp"

#include "civitas/base/error.hpp"

namespace civitas::net {

Precision parse_precision(std::string_view name) {
    if (name == "fp32") return Precision::fp32;
    if (name == "bf16") return Precision::bf16;
    if (name == "fp64") return Precision::fp64;
    throw UsageError(text("unknown precision '", name, "'"), Hint{"fp32, bf16 or fp64"});
}

std::string_view to_string(Precision precision) {
    switch (precision) {
        case Precision::fp32: return "fp32";
        case Precision::bf16: return "bf16";
        case Precision::fp64: return "fp64";
    }
    return "";
}

}  // namespace civitas::net
