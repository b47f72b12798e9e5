#include "charts.hpp"

#include <array>
#include <cmath>

namespace civitas::run_report {
namespace {

using report::Line, report::Point;

/// A figure that steps tell, in the unit that it is drawn in.
struct Figure {
    const char* key;
    const char* name;
    double factor = 1;
};

/// Figures on one axis.
struct Group {
    const char* title;
    const char* about;
    const char* unit;
    std::vector<Figure> figures;
    bool of_tests = false;
};

const std::vector<Group>& groups() {
    static const std::vector<Group> all{
        {"Losses",
         "Of each net, by step.",
         "loss",
         {{"d_loss", "D"}, {"g_loss", "G"}, {"loss", "training"}}},
        {"What D thinks",
         "The mean of what the discriminator takes real and generated tiles for: 1 real, 0 "
         "generated. Both near 0.5: it cannot tell them apart; far apart: it has won.",
         "D's output",
         {{"d_real", "real tiles"}, {"d_fake", "generated tiles"}}},
        {"Scores of training tiles",
         "Of the tiles of each step, as they are turned and cut.",
         "%",
         {{"top1", "top-1", 100}, {"top5", "top-5", 100}}},
        {"Test tiles",
         "After each epoch, of tiles that nobody has learnt from.",
         "%",
         {{"top1", "top-1", 100}, {"top5", "top-5", 100}},
         true},
        {"Loss of test tiles", "", "loss", {{"loss", "test"}}, true},
        {"Where the time goes",
         "Communication, of the rank that spends most on it, has the waiting for slower ranks in "
         "it; waiting is for others of a pipe, the mean of its ranks.",
         "% of a step",
         {{"communication_share", "communication", 100}, {"bubble_share", "waiting", 100}}},
        {"Staleness",
         "Updates that the weights of a step lacked.",
         "updates",
         {{"staleness", "staleness"}}},
    };
    return all;
}

std::vector<Point> scaled(std::vector<Point> points, double factor) {
    for (Point& point : points) point.y *= factor;
    return points;
}

const History& history_of(const RunContents& run, const Group& group) {
    return group.of_tests ? run.tests : run.steps;
}

bool any(const std::vector<Line>& lines) {
    for (const Line& line : lines)
        for (const Point& point : line.points)
            if (std::isfinite(point.y)) return true;
    return false;
}

/// Nothing but zeros says nothing.
bool all_zero(const std::vector<Line>& lines) {
    for (const Line& line : lines)
        for (const Point& point : line.points)
            if (std::isfinite(point.y) && point.y != 0) return false;
    return true;
}

Line speed_of(const RunContents& run, std::string name) {
    return {std::move(name), ratio(run.steps.of("tiles"), seconds_of_steps(run.steps))};
}
Line memory_of(const RunContents& run, std::string name) {
    return {std::move(name), scaled(run.steps.of("bytes"), 1 / megabyte)};
}

constexpr const char* about_speed =
    "Tiles a second, of all ranks together. Bands: from the least to the most of the steps that "
    "share a point.";
constexpr const char* about_memory = "Resident memory of the largest rank.";

Chart chart(std::string title, std::string about, std::string unit, std::vector<Line> lines) {
    return {std::move(title),
            std::move(about),
            {.x_name = "step", .y_name = std::move(unit), .lines = std::move(lines)}};
}

}  // namespace

bool made_alone(const RunContents& run) { return !run.steps.of("rank").empty(); }

double planned_speed(const RunContents& run) {
    const runs::Planned& p = *run.planned;
    const double of_one_plan = static_cast<double>(p.tiles) / p.seconds;
    return made_alone(run) ? p.ranks * of_one_plan : of_one_plan;
}

std::vector<Chart> charts_of(const RunContents& run) {
    std::vector<Chart> charts;
    for (const Group& group : groups()) {
        std::vector<Line> lines;
        for (const Figure& figure : group.figures) {
            auto points = scaled(history_of(run, group).of(figure.key), figure.factor);
            if (any({{"", points}})) lines.push_back({figure.name, std::move(points)});
        }
        if (any(lines) && !all_zero(lines))
            charts.push_back(chart(group.title, group.about, group.unit, std::move(lines)));
    }
    Chart speed = chart("Speed", about_speed, "tiles/s", {speed_of(run, "measured")});
    Chart memory = chart("Memory", about_memory, "MB", {memory_of(run, "measured")});
    if (run.planned && run.planned->seconds > 0) {
        speed.lines.mark = planned_speed(run);
        memory.lines.mark = static_cast<double>(run.planned->bytes) / megabyte;
        speed.lines.mark_name = memory.lines.mark_name = "planned";
    }
    for (Chart& of : std::array{std::move(speed), std::move(memory)})
        if (any(of.lines.lines)) charts.push_back(std::move(of));
    return charts;
}

std::vector<Chart> charts_of(std::span<const RunContents> runs) {
    std::vector<Chart> charts;
    const auto add = [&](const std::string& title, const std::string& about,
                         const std::string& unit, auto&& line_of) {
        std::vector<Line> lines;
        for (const RunContents& run : runs) lines.push_back(line_of(run));
        if (any(lines) && !all_zero(lines)) charts.push_back(chart(title, about, unit, lines));
    };
    for (const Group& group : groups())
        for (const Figure& figure : group.figures)
            add(std::string(group.title) + ": " + figure.name, group.about, group.unit,
                [&](const RunContents& run) {
                    return Line{run.name(),
                                scaled(history_of(run, group).of(figure.key), figure.factor)};
                });
    add("Speed", about_speed, "tiles/s",
        [](const RunContents& run) { return speed_of(run, run.name()); });
    add("Memory", about_memory, "MB",
        [](const RunContents& run) { return memory_of(run, run.name()); });
    return charts;
}

}  // namespace civitas::run_report
