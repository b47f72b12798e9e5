#include "passes.hpp"

namespace civitas::strided {

using c10::BFloat16;

Passes<float> passes_of(float, simd::CompiledFor) {
    return {run_down<float>, run_up<float>, run_gradient<float>};
}
Passes<BFloat16> passes_of(BFloat16, simd::CompiledFor) {
    return {run_down<BFloat16>, run_up<BFloat16>, run_gradient<BFloat16>};
}

}  // namespace civitas::strided
