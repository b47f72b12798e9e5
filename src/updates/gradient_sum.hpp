#pragma once
/// Sums of a gradient's terms, chunk by chunk, for loops that go on with them.
#include "civitas/base/vectorised.hpp"
#include "civitas/updates/gradient_sum.hpp"

#include <bit>
#include <span>

namespace civitas::updates {

/// Elements added up at a time: some chunks fit into the first cache.
constexpr std::int64_t sum_chunk = 512;

/// The order of a sum. Operands are numbered: from 0 on the terms, then chunks of a room.
struct SumPlan {
    struct Addition {
        std::size_t to, left, right;  ///< right = left: no more than a copy
    };
    std::vector<const float*> terms;
    std::vector<Addition> additions;  ///< the last one makes the sum
    std::size_t chunks = 0;           ///< of the room
};

/// Throws unless the terms are of the same elements as the weights.
void require_like(const GradientTerms& terms, const at::Tensor& weights);

/// Precondition: the terms are fp32.
[[nodiscard]] SumPlan plan_of(const GradientTerms& terms);

/// The first of some numbers that is not finite, or none: `count`.
CIVITAS_VECTOR_BODY std::int64_t first_non_finite(const float* numbers, std::int64_t count) {
    constexpr std::uint32_t exponent = 0x7f800000;
    std::uint32_t bad = 0;
    for (std::int64_t i = 0; i < count; ++i)
        bad |= (std::bit_cast<std::uint32_t>(numbers[i]) & exponent) == exponent ? 1U : 0U;
    if (bad == 0) return count;
    std::int64_t i = 0;
    while ((std::bit_cast<std::uint32_t>(numbers[i]) & exponent) != exponent) ++i;
    return i;
}

/// Adds up elements [begin, begin + count) of the terms, count <= sum_chunk. The sum lies in
/// `room`, which has plan.chunks chunks.
CIVITAS_VECTOR_BODY const float* sum_of_chunk(const SumPlan& plan, std::int64_t begin,
                                              std::int64_t count, float* room) {
    constexpr std::int64_t ahead = 2 * sum_chunk, line = 64 / sizeof(float);
    for (const float* const term : plan.terms)
        for (std::int64_t i = begin + ahead; i < begin + ahead + count; i += line)
            __builtin_prefetch(term + i);
    const std::size_t terms = plan.terms.size();
    const auto operand = [&](std::size_t number) {
        return number < terms ? plan.terms[number] + begin
                              : room + static_cast<std::int64_t>(number - terms) * sum_chunk;
    };
    const float* sum = room;
    for (const auto& [to, left, right] : plan.additions) {
        float* const here = room + static_cast<std::int64_t>(to - terms) * sum_chunk;
        const float* const a = operand(left);
        const float* const b = operand(right);
        if (left == right) {
            for (std::int64_t i = 0; i < count; ++i) here[i] = a[i];
        } else {
#pragma GCC ivdep
            for (std::int64_t i = 0; i < count; ++i) here[i] = a[i] + b[i];
        }
        sum = here;
    }
    return sum;
}

}  // namespace civitas::updates
