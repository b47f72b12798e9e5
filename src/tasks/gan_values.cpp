#include "civitas/tasks/gan_values.hpp"

#include "civitas/base/tree.hpp"

#include <algorithm>

namespace civitas::tasks {

std::vector<StepValue> values_of(const std::vector<double>& figures) {
    using Row = std::array<double, 2 * loss_passes.size()>;
    const auto count = static_cast<std::int64_t>(figures.size() / Row{}.size());
    const Row sums = tree_sum(
        0, count,
        [&](std::int64_t micro) {
            Row row{};
            std::copy_n(figures.begin() + micro * std::ssize(row), row.size(), row.begin());
            return row;
        },
        [](Row a, const Row& b) {
            for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
            return a;
        });
    const auto [real_loss, real, fake_loss, fake, loss, probability] = sums;
    return {{.key = "d_loss", .label = "D", .group = 0, .value = real_loss + fake_loss},
            {.key = "g_loss", .label = "G", .group = 0, .value = loss},
            {.key = "d_real", .label = "D(x)", .digits = 2, .group = 1, .value = real},
            {.key = "d_fake", .label = "D(G(z))", .digits = 2, .group = 1, .value = fake}};
}

}  // namespace civitas::tasks
