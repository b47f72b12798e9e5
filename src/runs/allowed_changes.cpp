#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/runs/facts.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace civitas::runs {

void check_allowed(const std::vector<std::string>& allowed) {
    std::istringstream facts(
        "net nz generator-widths discriminator-widths coding precision kernels batch micro-batch "
        "seed ema optimizer sync-batch-norm task classes pixels labels condition condition-scale "
        "sources tiles tile-metres tile-pixels crs-epsg");
    const std::vector<std::string> guarded(std::istream_iterator<std::string>(facts), {});
    for (const std::string& word : allowed) {
        if (std::find(guarded.begin(), guarded.end(), word) != guarded.end()) continue;
        const auto near = nearest(word, guarded);
        throw UsageError(
            text("--allow-change ", word, ": no fixed setting has this name"),
            Hint{near ? "did you mean " + *near + '?' : "one of " + join(guarded, ", ")});
    }
}

}  // namespace civitas::runs
