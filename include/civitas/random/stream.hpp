#pragma once
/// Random numbers by formula: Philox 4x32-10 (Salmon et al., SC'11, the library Random123) keyed by
/// (seed, purpose, major, minor) with the element number as counter. Nothing has a state, so a
/// number depends only on what it is for, never on who draws it, when, or how many are drawn.
#include "civitas/base/numbers.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace civitas {

/// What a stream of numbers is for. The values are part of the arithmetic: never renumber.
enum class Purpose : std::uint32_t {
    order = 1,           ///< order of the tiles in an epoch
    symmetry = 2,        ///< flip and rotation of a sample
    latent = 3,          ///< noise z of a training sample
    weights = 4,         ///< initial parameters, by name
    instance_noise = 5,  ///< noise on an image that D sees
    translation = 6,     ///< shift of an image that D sees
    sheet = 7,           ///< noise z of the sample sheets
    plan = 8,            ///< noise z of generated plans
    survey = 9,          ///< the built-in sample survey
    metric = 10,         ///< projections and choices of evaluation figures
    times = 11,          ///< times of steps on paper
    dropout = 12,        ///< values of a training sample that a layer drops
    wish = 13,           ///< what a plan is asked to be like where nobody says
};

using Block = std::array<std::uint32_t, 4>;

/// One Philox 4x32-10 block, as published.
[[nodiscard]] Block philox(const std::array<std::uint32_t, 2>& key, const Block& counter) noexcept;

/// Where a stream belongs: epoch or step, and sample, parameter hash or whatever numbers it.
struct StreamName {
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
};

/// A random-access sequence of numbers.
class RandomStream {
public:
    RandomStream(Seed seed, Purpose purpose, StreamName name) noexcept;
    /// The stream that words() are of.
    explicit RandomStream(const Block& words) noexcept;

    /// All that the stream is made of: the key of its blocks, and the upper half of their counters.
    [[nodiscard]] Block words() const noexcept { return {key_[0], key_[1], high_[0], high_[1]}; }

    [[nodiscard]] Block block(std::uint64_t i) const noexcept;
    /// Element i: uniform in the open interval (0, 1), 53 bits.
    [[nodiscard]] double uniform(std::uint64_t i) const noexcept;
    /// Element i: uniform integer in [0, bound), by 64x64 bit multiplication.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound, std::uint64_t i) const noexcept;
    /// Elements first, first+1, ...: standard normals by Box-Muller in double, the same bits on any
    /// processor: of numbers, only sums, products, quotients and square roots are taken.
    void normals(std::uint64_t first, std::span<double> out) const noexcept;
    /// Elements first, first+1, ...: approximate standard normals, the centred and scaled sum of
    /// the four bytes of one word (tails end at 3.45): cheap enough for a number per pixel.
    void fast_normals(std::uint64_t first, std::span<float> out) const noexcept;

private:
    std::array<std::uint32_t, 2> key_{};
    std::array<std::uint32_t, 2> high_{};
};

}  // namespace civitas
