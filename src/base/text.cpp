#include "civitas/base/text.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <utility>

namespace civitas {
namespace {

/// Levenshtein distance, one row of the table at a time.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
    std::optional<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
    for (const auto& candidate : known) {
        const std::size_t d = distance(word, candidate);
        if (d >= best_distance) continue;
        best_distance = d;
        best = candidate;
    }
    return best;
}

std::string system_error() { return std::strerror(errno); }

std::string fixed(double value, int decimals) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(decimals) << value;
    return out.str();
}

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
    return text(n, ' ', n == 1 ? one : many);
}

std::string now_in_words() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::string words(32, '\0');
    words.resize(std::strftime(words.data(), words.size(), "%Y-%m-%d %H:%M:%S UTC", &parts));
    return words;
}

std::string step_name(StepIndex step) {
    std::ostringstream out;
    out << "step-" << std::setw(8) << std::setfill('0') << index(step);
    return out.str();
}

std::string megabytes(std::int64_t bytes) {
    return fixed(static_cast<double>(bytes) / 1e6, 1) + " MB";
}

std::string millions(std::int64_t count) {
    return fixed(static_cast<double>(count) / 1e6, 2) + " M";
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

}  // namespace civitas
