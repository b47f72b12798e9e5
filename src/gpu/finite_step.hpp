#pragma once
/// Looks for numbers that are not finite, some at a time: see civitas/gpu/finite.hpp. Compiled for
/// a GPU by nvcc, and for a CPU by the tests.
#include <c10/macros/Macros.h>
#include <cmath>
#include <cstdint>

namespace civitas::gpu {

/// Some numbers, of which neighbours have the numbers in between.
template <class T>
struct FiniteStep {
    static constexpr int some = 8, neighbours = 32;

    const T* values;
    std::int64_t count;
    double* number;

    [[nodiscard]] std::int64_t steps() const {
        constexpr std::int64_t of_all = std::int64_t{some} * neighbours;
        return (count + of_all - 1) / of_all * neighbours;
    }

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        // What is not finite, times zero, is NaN, and so is a sum that it is in.
        T sum = 0;
        const std::int64_t first = i / neighbours * some * neighbours + i % neighbours;
        for (int k = 0; k < some; ++k)
            if (first + k * neighbours < count) sum += 0 * values[first + k * neighbours];
        if (sum != 0) *number = NAN;
    }
};

}  // namespace civitas::gpu
