#include "civitas/run_report/history.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/median.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace civitas::run_report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void add_line(History& history, const std::string& line) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("step") || !object["step"].is_number()) {
        ++history.unreadable;
        return;
    }
    ++history.lines;
    const double step = object["step"];
    for (const auto& [key, value] : object.items())
        // Numbers that are not finite are written as null.
        if (key != "step" && (value.is_number() || value.is_null()))
            history.series[key].push_back({step, value.is_number() ? value.get<double>() : nan});
}

}  // namespace

const std::vector<report::Point>& History::of(const std::string& key) const {
    static const std::vector<report::Point> none;
    const auto found = series.find(key);
    return found == series.end() ? none : found->second;
}

double History::last(const std::string& key) const {
    const auto& points = of(key);
    return points.empty() ? nan : points.back().y;
}

double History::median(const std::string& key) const { return run_report::median(of(key)); }

double median(const std::vector<report::Point>& points) {
    std::vector<double> values;
    for (const report::Point& point : points)
        if (std::isfinite(point.y)) values.push_back(point.y);
    return values.empty() ? nan : civitas::median(std::move(values));
}

std::vector<report::Point> seconds_of_steps(const History& steps) {
    std::map<double, double> in_a_second;
    for (const report::Point& point : steps.of("steps_per_second")) in_a_second[point.x] = point.y;
    std::vector<report::Point> seconds = steps.of("seconds");
    for (report::Point& point : seconds)
        if (const auto known = in_a_second.find(point.x);
            known != in_a_second.end() && known->second > 0)
            point.y = 1 / known->second;
    return seconds;
}

History read_history(const std::filesystem::path& file) {
    History history;
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) return history;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (!line.empty()) add_line(history, line);
    if (!in.eof())
        throw Error(text("cannot read ", file), Hint{"is it a file, and its disk whole?"});
    for (auto& entry : history.series)
        std::stable_sort(entry.second.begin(), entry.second.end(),
                         [](const report::Point& a, const report::Point& b) { return a.x < b.x; });
    return history;
}

std::vector<report::Point> ratio(const std::vector<report::Point>& of,
                                 const std::vector<report::Point>& by, double factor) {
    std::vector<report::Point> points;
    for (std::size_t i = 0; i < std::min(of.size(), by.size()); ++i)
        if (of[i].x == by[i].x) points.push_back({of[i].x, factor * of[i].y / by[i].y});
    return points;
}

}  // namespace civitas::run_report
