#pragma once
/// Power by frequency.
#include "civitas/quality/mask.hpp"

#include <optional>
#include <span>
#include <vector>

namespace civitas::quality {

/// The power at 0 to pixels / 2 periods a tile: squared values of the discrete Fourier transform of
/// each row and each column, their mean. By Parseval this is the two-dimensional power summed over
/// the other direction, where upsampling by two leaves its periods (Odena, Dumoulin and Olah 2016).
[[nodiscard]] std::vector<double> power_of(const Mask& mask);

struct SpectrumFigures {
    double slope = 0;       ///< of log power against log frequency, from 1 to half of Nyquist
    double nyquist_db = 0;  ///< power of period 2 to that of the four frequencies below, decibels
    double half_nyquist_db = 0;  ///< of period 4 to that of two on either side
};
/// None where there is no power to compare. Precondition: 16 pixels at least, so 9 powers.
[[nodiscard]] std::optional<SpectrumFigures> spectrum_figures(std::span<const double> power);

}  // namespace civitas::quality
