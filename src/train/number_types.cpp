#include "number_types.hpp"

namespace civitas::train {

at::ScalarType master_type(Precision precision) {
    return precision == Precision::fp64 ? at::kDouble : at::kFloat;
}

at::ScalarType compute_type(Precision precision) {
    return precision == Precision::bf16 ? at::kBFloat16 : master_type(precision);
}

}  // namespace civitas::train
