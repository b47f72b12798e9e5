#include "civitas/random/permutation.hpp"

#include "words.hpp"

#include <bit>
#include <utility>

namespace civitas {

Permutation::Permutation(std::uint64_t size, const RandomStream& key) noexcept
    : size_(size), half_bits_((static_cast<int>(std::bit_width(size - 1)) + 1) / 2) {
    if (half_bits_ == 0) half_bits_ = 1;
    for (std::size_t r = 0; r < keys_.size(); ++r) {
        const Block b = key.block(r);
        keys_[r] = {b[0], b[1]};
    }
}

std::uint64_t Permutation::encrypt(std::uint64_t x) const noexcept {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = x >> half_bits_;
    std::uint64_t right = x & mask;
    for (const auto& key : keys_) {
        const Block b = philox(key, {low(right), high(right), 0, 0});
        const std::uint64_t mixed = ((std::uint64_t{b[0]} << 32) | b[1]) & mask;
        left = std::exchange(right, left ^ mixed);
    }
    return (left << half_bits_) | right;
}

std::uint64_t Permutation::operator()(std::uint64_t position) const noexcept {
    std::uint64_t x = encrypt(position);
    while (x >= size_) x = encrypt(x);
    return x;
}

}  // namespace civitas
