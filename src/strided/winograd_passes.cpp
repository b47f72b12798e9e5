#include "passes.hpp"

namespace civitas::strided {

template <class T>
Passes<T> passes_of(simd::CompiledFor) {
    return {run_down<T>, run_up<T>, run_gradient<T>};
}

template Passes<float> passes_of<float>(simd::CompiledFor);
template Passes<c10::BFloat16> passes_of<c10::BFloat16>(simd::CompiledFor);

}  // namespace civitas::strided
