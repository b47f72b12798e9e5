#include "fitting.hpp"

#include "civitas/base/error.hpp"

#include <limits>

namespace civitas::quilt {
namespace {

/// Where the pixels of a target lie in an image that is to be turned so.
std::vector<std::int64_t> cells_of(const Target& target, std::int64_t side, Symmetry symmetry) {
    std::vector<std::int64_t> cells;
    for (const std::int64_t pixel : target.pixels)
        cells.push_back(cell_at(pixel / side, pixel % side, side, symmetry));
    return cells;
}

double variation_of(const Target& target) {
    const std::size_t pixels = target.pixels.size();
    double variation = 0;
    for (std::size_t begin = 0; begin < target.values.size(); begin += pixels) {
        Moments moments;
        for (std::size_t i = begin; i < begin + pixels; ++i) moments.add(target.values[i]);
        variation += moments.variation();
    }
    return variation;
}

}  // namespace

void Moments::add(std::int64_t value) {
    ++count;
    sum += value;
    squares += value * value;
}

double Moments::variation() const {
    const auto total = static_cast<double>(sum);
    return static_cast<double>(squares) - total * total / static_cast<double>(count);
}

Fitting::Fitting(const Images& images)
    : images_(images), used_(static_cast<std::size_t>(images.count)) {}

Fitting::Fit Fitting::fit_of(std::int64_t image, const std::vector<std::int64_t>& cells,
                             const Target& target) const {
    const std::int64_t area = images_.side * images_.side;
    const std::uint8_t* plane = images_.values_BCHW.data() + image * images_.channels * area;
    const std::uint8_t* wanted = target.values.data();
    Fit fit;
    for (std::int64_t c = 0; c < images_.channels; ++c, plane += area) {
        Moments moments;
        for (const std::int64_t cell : cells) {
            const std::int64_t value = plane[cell], difference = value - *wanted++;
            moments.add(value);
            fit.error += difference * difference;
        }
        fit.variation += moments.variation();
    }
    return fit;
}

Choice Fitting::take(const Target& target) {
    Choice best{-1, {}, 0};
    double least = std::numeric_limits<double>::infinity();
    const double wanted = variation_of(target);
    for (std::uint8_t s = 0; s < symmetry_count; ++s) {
        const auto cells = cells_of(target, images_.side, Symmetry{s});
        for (std::int64_t i = 0; i < images_.count; ++i) {
            if (used_[static_cast<std::size_t>(i)]) continue;
            const Fit fit = fit_of(i, cells, target);
            // One more, as both may be even.
            const double mismatch = static_cast<double>(fit.error) / (wanted + fit.variation + 1);
            if (mismatch >= least) continue;
            least = mismatch;
            best = {i, Symmetry{s}, fit.error};
        }
    }
    ensure(best.image >= 0, "an image is left");
    used_[static_cast<std::size_t>(best.image)] = true;
    return best;
}

Choice Fitting::take_first() {
    used_.at(0) = true;
    return {};
}

}  // namespace civitas::quilt
