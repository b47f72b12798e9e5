#include "civitas/nn/number_types.hpp"

namespace civitas::nn {

at::ScalarType master_type(net::Precision precision) {
    return precision == net::Precision::fp64 ? at::kDouble : at::kFloat;
}

at::ScalarType compute_type(net::Precision precision) {
    return precision == net::Precision::bf16 ? at::kBFloat16 : master_type(precision);
}

}  // namespace civitas::nn
