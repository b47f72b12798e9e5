#include "spectrum.hpp"

#include "line_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace civitas::quality {
namespace {

struct Step {
    std::int64_t place = 0;
    double height = 0;
};

/// Where a row changes, its end joining its beginning: few places, so that its transform is made of
/// few terms.
template <class Row>
std::vector<Step> steps_of(std::int64_t pixels, Row&& row) {
    std::vector<Step> steps;
    for (std::int64_t i = 0; i < pixels; ++i) {
        const bool before = row((i + pixels - 1) % pixels), now = row(i);
        if (before != now) steps.push_back({i, now ? 1.0 : -1.0});
    }
    return steps;
}

/// Cosines and sines of whole parts of a turn.
class Turns {
public:
    explicit Turns(std::int64_t parts)
        : cosines_(static_cast<std::size_t>(parts)), sines_(cosines_) {
        for (std::size_t i = 0; i < cosines_.size(); ++i) {
            const double angle =
                2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(parts);
            cosines_[i] = std::cos(angle);
            sines_[i] = std::sin(angle);
        }
    }
    /// The squared absolute value of the transform of steps at a frequency.
    [[nodiscard]] double power(const std::vector<Step>& steps, std::size_t frequency) const {
        double real = 0, imaginary = 0;
        for (const Step& s : steps) {
            const std::size_t at = frequency * static_cast<std::size_t>(s.place) % cosines_.size();
            real += s.height * cosines_[at];
            imaginary += s.height * sines_[at];
        }
        return real * real + imaginary * imaginary;
    }

private:
    std::vector<double> cosines_, sines_;
};

double decibels(double power, std::span<const double> beside) {
    double sum = 0;
    for (const double other : beside) sum += other;
    return 10 * std::log10(power / (sum / static_cast<double>(beside.size())));
}

}  // namespace

std::vector<double> power_of(const Mask& mask) {
    const std::int64_t n = mask.pixels();
    const Turns turns(n);
    std::vector<double> power(static_cast<std::size_t>(n / 2 + 1));
    for (std::int64_t i = 0; i < n; ++i)
        for (const auto& steps : {steps_of(n,
                                           [&](std::int64_t k) {
                                               return mask.at({k, i});
                                           }),
                                  steps_of(n, [&](std::int64_t k) {
                                      return mask.at({i, k});
                                  })})
            for (std::size_t f = 1; f < power.size(); ++f) power[f] += turns.power(steps, f);
    // The transform of a row is that of its steps divided by 1 - exp(-2 pi i f / n).
    for (std::size_t f = 1; f < power.size(); ++f) {
        const double sine =
            std::sin(std::numbers::pi * static_cast<double>(f) / static_cast<double>(n));
        power[f] /= 4 * sine * sine * static_cast<double>(2 * n);
    }
    return power;
}

std::optional<SpectrumFigures> spectrum_figures(std::span<const double> power) {
    const std::size_t nyquist = power.size() - 1, half = nyquist / 2;
    if (std::any_of(power.begin() + 1, power.end(), [](double p) { return !(p > 0); }))
        return std::nullopt;
    LineFit fit;
    for (std::size_t f = 1; f <= half; ++f)
        fit.add(std::log(static_cast<double>(f)), std::log(power[f]));
    const std::vector<double> around{power[half - 2], power[half - 1], power[half + 1],
                                     power[half + 2]};
    return SpectrumFigures{fit.slope(), decibels(power[nyquist], power.subspan(nyquist - 4, 4)),
                           decibels(power[half], around)};
}

}  // namespace civitas::quality
