#pragma once
/// A random order that is computed, not stored.
#include "civitas/random/stream.hpp"

#include <array>
#include <cstdint>

namespace civitas {

/// A bijection of [0, size): a keyed Feistel network over the next power of four with cycle
/// walking.
class Permutation {
public:
    /// Precondition: size > 0.
    Permutation(std::uint64_t size, const RandomStream& key) noexcept;
    [[nodiscard]] std::uint64_t operator()(std::uint64_t position) const noexcept;

private:
    [[nodiscard]] std::uint64_t encrypt(std::uint64_t x) const noexcept;
    static constexpr int rounds_ = 8;
    std::uint64_t size_;
    int half_bits_;
    std::array<std::array<std::uint32_t, 2>, rounds_> keys_{};
};

}  // namespace civitas
