#pragma once
/// Loops without a loop, so that arrays of a thread are registers. Compiled for a GPU by nvcc, and
/// for a CPU by the tests.
#include <c10/macros/Macros.h>
#include <utility>

namespace civitas::gpu {

/// A number that is known when the program is compiled.
template <int n>
struct Constant {
    static constexpr int value = n;
};

template <class F, int... i>
C10_HOST_DEVICE void unrolled(const F& f, std::integer_sequence<int, i...> /*numbers*/) {
    (f(Constant<i>()), ...);
}
/// Calls f with Constant<0> to Constant<n - 1>.
template <int n, class F>
C10_HOST_DEVICE void unrolled(const F& f) {
    unrolled(f, std::make_integer_sequence<int, n>());
}

}  // namespace civitas::gpu
