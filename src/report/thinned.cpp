#include "thinned.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::report {

std::vector<Bin> thinned(const std::vector<Point>& points, std::size_t bins) {
    std::vector<Point> finite;
    std::copy_if(points.begin(), points.end(), std::back_inserter(finite),
                 [](const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); });
    const std::size_t each = (finite.size() + bins - 1) / bins;
    std::vector<Bin> all;
    for (std::size_t begin = 0; begin < finite.size(); begin += each) {
        const std::size_t end = std::min(begin + each, finite.size());
        Bin bin{finite[end - 1].x, 0, finite[begin].y, finite[begin].y};
        for (std::size_t i = begin; i < end; ++i) {
            bin.mean += finite[i].y / static_cast<double>(end - begin);
            bin.least = std::min(bin.least, finite[i].y);
            bin.most = std::max(bin.most, finite[i].y);
        }
        all.push_back(bin);
    }
    return all;
}

}  // namespace civitas::report
