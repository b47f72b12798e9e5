#pragma once
/// Random choices of the survey, each sequence named by what it decides.
#include "civitas/base/hash.hpp"
#include "civitas/random/stream.hpp"
#include "geometry.hpp"

#include <string_view>

namespace civitas::survey {

/// A sequence of draws that belongs to (seed, what, number): nothing else can disturb it.
class Dice {
public:
    Dice(Seed seed, std::string_view what, std::uint64_t number = 0)
        : stream_(seed, Purpose::survey, {name_hash(what), number}) {}

    double between(double low, double high) {
        return low + (high - low) * stream_.uniform(next_++);
    }
    bool chance(double probability) { return stream_.uniform(next_++) < probability; }
    /// A whole number from low to high, both included.
    int whole(int low, int high) {
        const auto count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        return low + static_cast<int>(stream_.below(count, next_++));
    }
    int sign() { return chance(0.5) ? 1 : -1; }

private:
    RandomStream stream_;
    std::uint64_t next_ = 0;
};

/// Smooth noise in the plane, between -1 and 1, changing over about `scale` metres.
class Noise {
public:
    Noise(Seed seed, std::string_view what, double scale)
        : stream_(seed, Purpose::survey, {name_hash(what), 1}), scale_(scale) {}
    [[nodiscard]] double operator()(const Point& p) const;

private:
    [[nodiscard]] double node(int column, int row) const;
    RandomStream stream_;
    double scale_;
};

}  // namespace civitas::survey
