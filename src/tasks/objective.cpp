#include "civitas/tasks/objective.hpp"

#include "civitas/base/tree.hpp"

namespace civitas::tasks {

std::vector<double> sums_of(const std::vector<double>& figures, std::int64_t width) {
    return tree_sum(
        0, std::ssize(figures) / width,
        [&](std::int64_t micro) {
            const auto first = figures.begin() + micro * width;
            return std::vector<double>(first, first + width);
        },
        [](std::vector<double> a, const std::vector<double>& b) {
            for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
            return a;
        });
}

}  // namespace civitas::tasks
