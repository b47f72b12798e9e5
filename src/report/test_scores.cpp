#include "civitas/report/test_scores.hpp"

#include "line_step.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/unused_name.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iomanip>
#include <limits>
#include <sstream>

namespace civitas::report {
namespace {

/// Numbers that are not finite are written as null.
double number(const nlohmann::json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

/// Calls of(line, step) for the lines of a file that have one.
template <class Of>
void for_each_line(const std::filesystem::path& file, Of of) {
    if (!std::filesystem::exists(file)) return;
    std::istringstream lines(io::read_text_file(file));
    for (std::string line; std::getline(lines, line);)
        if (const auto step = step_of(line)) of(line, *step);
}

std::string lines_before(const std::filesystem::path& file, std::int64_t step) {
    std::string kept;
    for_each_line(file, [&](const std::string& line, std::int64_t of) {
        if (of < step) kept += line + '\n';
    });
    return kept;
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

bool has_line(const std::filesystem::path& file, std::int64_t step) {
    bool found = false;
    for_each_line(file, [&](const std::string&, std::int64_t of) { found |= of == step; });
    return found;
}

void remove_lines_from(const std::filesystem::path& file, std::int64_t step) {
    if (!std::filesystem::exists(file)) return;
    const std::string kept = lines_before(file, step);
    if (kept.size() != std::filesystem::file_size(file)) io::write_text_file(file, kept);
}

std::optional<std::filesystem::path> copy_if_lines_from(const std::filesystem::path& file,
                                                        std::int64_t step,
                                                        const std::string& ending) {
    std::ifstream lines(file);  // of a long run they are many
    bool found = false;
    for (std::string line; !found && std::getline(lines, line);)
        found = step_of(line).value_or(step - 1) >= step;
    if (!found) return std::nullopt;
    auto copy = io::unused_name(file, ending);
    io::copy_file(file, copy);
    return copy;
}

void keep_line(const std::filesystem::path& file, std::int64_t step, const TestScores& scores) {
    const nlohmann::ordered_json line{{"step", step},
                                      {"tiles", scores.tiles},
                                      {"loss", scores.loss},
                                      {"top1", scores.first},
                                      {"top5", scores.top_five}};
    io::write_text_file(file, lines_before(file, step) + line.dump() + '\n');
}

}  // namespace civitas::report
