#include "dice.hpp"

#include <cmath>

namespace civitas::survey {
namespace {

double eased(double t) { return t * t * (3 - 2 * t); }

double mixed(double a, double b, double t) { return a + (b - a) * t; }

}  // namespace

double Noise::node(int column, int row) const {
    const auto place =
        static_cast<std::uint64_t>(row + 4096) * 8192 + static_cast<std::uint64_t>(column + 4096);
    return 2 * stream_.uniform(place) - 1;
}

double Noise::operator()(const Point& p) const {
    const double x = p.x / scale_;
    const double y = p.y / scale_;
    const int column = static_cast<int>(std::floor(x));
    const int row = static_cast<int>(std::floor(y));
    const double s = eased(x - column);
    const double t = eased(y - row);
    return mixed(mixed(node(column, row), node(column + 1, row), s),
                 mixed(node(column, row + 1), node(column + 1, row + 1), s), t);
}

}  // namespace civitas::survey
