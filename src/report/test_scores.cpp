#include "civitas/report/test_scores.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/io/files.hpp"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <limits>
#include <sstream>

namespace civitas::report {
namespace {

/// Numbers that are not finite are written as null.
double number(const nlohmann::json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

std::string in_words(const TestScores& scores) {
    std::ostringstream out;
    out << scores.tiles << " tiles: loss " << std::fixed << std::setprecision(3) << scores.loss
        << std::setprecision(1) << ", top-1 " << 100 * scores.first << " %, top-5 "
        << 100 * scores.top_five << " %";
    return out.str();
}

std::optional<TestScores> last_scores(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return std::nullopt;
    std::istringstream lines(io::read_text_file(file));
    std::string last;
    for (std::string line; std::getline(lines, line);) last = line;
    if (last.empty()) return std::nullopt;
    try {
        const auto scores = nlohmann::json::parse(last);
        return TestScores{scores.at("tiles"), number(scores.at("loss")), number(scores.at("top1")),
                          number(scores.at("top5"))};
    } catch (const nlohmann::json::exception&) {
        throw Error(text(file, " ends with a line that has no scores"),
                    Hint{"train on: the next test writes them"});
    }
}

void keep_line(const std::filesystem::path& file, std::int64_t step, const TestScores& scores) {
    std::string kept;
    if (std::filesystem::exists(file)) {
        std::istringstream lines(io::read_text_file(file));
        for (std::string line; std::getline(lines, line);) {
            const auto old = nlohmann::json::parse(line, nullptr, false);
            if (old.is_object() && old.value("step", step) < step) kept += line + '\n';
        }
    }
    const nlohmann::ordered_json line{{"step", step},
                                      {"tiles", scores.tiles},
                                      {"loss", scores.loss},
                                      {"top1", scores.first},
                                      {"top5", scores.top_five}};
    io::write_text_file(file, kept + line.dump() + '\n');
}

}  // namespace civitas::report
