#include "civitas/compare/figures.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/median.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace civitas::compare {
namespace {

using Line = nlohmann::ordered_json;

std::vector<Line> lines_of(const std::string& metrics) {
    std::vector<Line> lines;
    std::istringstream in(metrics);
    for (std::string text; std::getline(in, text);) {
        Line line = Line::parse(text, nullptr, false);
        if (line.is_object() && line.contains("step")) lines.push_back(std::move(line));
    }
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return a.at("step").get<std::int64_t>() < b.at("step").get<std::int64_t>();
    });
    return lines;
}

/// A loss that is not finite is null there.
std::vector<std::pair<std::string, double>> losses_of(const Line& line) {
    std::vector<std::pair<std::string, double>> losses;
    for (const auto& [key, value] : line.items())
        if (key.find("loss") != std::string::npos && value.is_number())
            losses.emplace_back(key, value.get<double>());
    return losses;
}

std::map<std::string, std::int64_t> bytes_of(const Line& first) {
    std::map<std::string, std::int64_t> bytes;
    if (!first.contains("rank_bytes")) return bytes;
    for (const auto& [key, value] : first.at("rank_bytes").items())
        bytes[key] = value.get<std::int64_t>();
    return bytes;
}

/// Bytes are those of the last step, as all have them; waits are means of steps.
std::vector<report::CutFigures> cuts_of(const std::vector<Line>& lines, std::size_t from) {
    std::vector<report::CutFigures> cuts;
    if (!lines.back().contains("cuts")) return cuts;
    for (const Line& told : lines.back().at("cuts"))
        cuts.push_back({told.at("from").get<int>(), told.at("to").get<int>(),
                        told.at("bytes").get<std::int64_t>()});
    for (std::size_t i = from; i < lines.size(); ++i)
        for (const Line& told : lines[i].value("cuts", Line::array()))
            for (report::CutFigures& cut : cuts)
                if (cut.from == told.at("from") && cut.to == told.at("to"))
                    cut.waited_s += told.at("waited_seconds").get<double>() /
                                    static_cast<double>(lines.size() - from);
    return cuts;
}

double mean_of(const std::vector<Line>& lines, std::size_t from, const char* key) {
    double sum = 0;
    for (std::size_t i = from; i < lines.size(); ++i) sum += lines[i].value(key, 0.0);
    return sum / static_cast<double>(lines.size() - from);
}

/// Each rank makes a step in the middle of its own times, and of what it waits before.
double seconds_apart(const std::vector<Line>& lines, std::size_t from) {
    std::map<std::int64_t, std::vector<double>> of_rank;
    for (std::size_t i = from; i < lines.size(); ++i)
        of_rank[lines[i].at("rank").get<std::int64_t>()].push_back(
            lines[i].at("seconds").get<double>() / (1 - lines[i].value("bubble_share", 0.0)));
    double steps_a_second = 0;
    for (const auto& entry : of_rank) steps_a_second += 1 / median(entry.second);
    return 1 / steps_a_second;
}

/// Parts of several steps may be made at a time: the clock tells when each is whole.
double seconds_by_clock(const std::vector<Line>& lines, std::size_t from) {
    const double begun = lines[from - 1].at("time").get<double>();
    const double ended = lines.back().at("time").get<double>();
    return (ended - begun) / static_cast<double>(lines.size() - from);
}

double seconds_of_step(const std::vector<Line>& lines, std::size_t from) {
    if (lines.back().contains("rank")) return seconds_apart(lines, from);
    if (lines.back().contains("ranks")) return seconds_by_clock(lines, from);
    std::vector<double> seconds;
    for (std::size_t i = from; i < lines.size(); ++i)
        seconds.push_back(lines[i].at("seconds").get<double>());
    return median(std::move(seconds));
}

}  // namespace

Round round_of(const std::string& metrics, std::int64_t warm_up) {
    const std::vector<Line> lines = lines_of(metrics);
    if (std::ssize(lines) <= warm_up || warm_up < 1)
        throw Error(text("a run told of ", lines.size(), " steps, of which the first ", warm_up,
                         " do not count"),
                    Hint{"more --steps"});
    const auto from = static_cast<std::size_t>(warm_up);
    Round round;
    round.seconds = seconds_of_step(lines, from);
    round.tiles_per_second = lines.back().at("tiles").get<double>() / round.seconds;
    round.communication = mean_of(lines, from, "communication_share");
    round.waiting = mean_of(lines, from, "bubble_share");
    round.staleness = mean_of(lines, from, "staleness");
    round.steps = std::ssize(lines) - warm_up;
    round.losses = losses_of(lines.back());
    round.bytes = bytes_of(lines.front());
    round.cuts = cuts_of(lines, from);
    return round;
}

Round together(const std::vector<Round>& models) {
    Round all = models.front();
    const auto middle = [&](double Round::*figure) {
        std::vector<double> values;
        for (const Round& model : models) values.push_back(model.*figure);
        return median(std::move(values));
    };
    for (double Round::*const figure : {&Round::seconds, &Round::communication, &Round::waiting})
        all.*figure = middle(figure);
    all.tiles_per_second = 0;
    for (const Round& model : models) {
        all.tiles_per_second += model.tiles_per_second;
        for (const auto& [what, bytes] : model.bytes)
            all.bytes[what] = std::max(all.bytes[what], bytes);
    }
    return all;
}

}  // namespace civitas::compare
