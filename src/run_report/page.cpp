#include "album.hpp"
#include "charts.hpp"
#include "configurations.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/base/version.hpp"
#include "civitas/report/embedded.hpp"

#include <array>
#include <cmath>

namespace civitas::run_report {
namespace {

using report::Section, report::Table;

/// Numbers that steps tell at their end; `-` where nobody has told.
std::string number(double value, int decimals, const std::string& unit = "") {
    return std::isfinite(value) ? fixed(value, decimals) + unit : "-";
}

std::int64_t steps_of(const RunContents& run) {
    const double last = run.steps.of("seconds").empty() ? 0 : run.steps.of("seconds").back().x;
    return std::llround(last);
}

/// Tiles a second, of all ranks together, by the median of the steps.
double speed_of(const RunContents& run) {
    return run.steps.median("tiles") / median(seconds_of_steps(run.steps));
}

/// As the plan has it: of the rank that made a step alone, else of all ranks.
double seconds_of(const RunContents& run) {
    return made_alone(run) ? run.steps.median("seconds") : median(seconds_of_steps(run.steps));
}

std::string chart_html(const Chart& chart) {
    return "<div><h3>" + report::escaped(chart.title) + "</h3>\n<p class=\"about\">" +
           report::escaped(chart.about) + "</p>\n" + report::to_html(chart.lines) + "</div>\n";
}

void add_charts(std::vector<Section>& sections, const std::vector<Chart>& charts) {
    if (charts.empty()) return;
    std::string body = "<div class=\"two\">\n";
    for (const Chart& chart : charts) body += chart_html(chart);
    sections.push_back({"By step", "", body + "</div>\n"});
}

void add_planned(std::vector<Section>& sections, const RunContents& run) {
    const std::string title = "Planned and measured";
    if (!run.why_not_planned.empty())
        sections.push_back({title, "Left out: " + run.why_not_planned, ""});
    if (!run.planned) return;
    const runs::Planned& p = *run.planned;
    const Table table{
        .head = {"", "planned", "measured"},
        .rows = {{"seconds of a step", number(p.seconds, 4), number(seconds_of(run), 4)},
                 {"tiles a second", number(planned_speed(run), 1), number(speed_of(run), 1)},
                 {"waiting in the pipe, %", number(100 * p.bubble, 1),
                  number(100 * run.steps.median("bubble_share"), 1)},
                 {"memory of a rank, MB", number(static_cast<double>(p.bytes) / megabyte, 0),
                  number(run.steps.last("bytes") / megabyte, 0)}}};
    sections.push_back({title,
                        "Planned at the last start, by times of layers on the machine; measured: "
                        "medians of all steps, and the memory of the largest rank at the end.",
                        to_html(table)});
}

void add_schedule(std::vector<Section>& sections, const RunContents& run) {
    if (run.schedule.empty()) return;
    sections.push_back(
        {"A step on paper", "The schedule as it was simulated at the last start.",
         "<div class=\"picture\" tabindex=\"0\">" +
             report::embedded("image/svg+xml", std::as_bytes(std::span(run.schedule)),
                              "the schedule") +
             "</div>\n"});
}

void add_checkpoints(std::vector<Section>& sections, const RunContents& run) {
    Table table{.head = {"file", "MB", "state"}, .rows = {}, .of_words = true};
    for (const CheckpointLine& line : run.checkpoints)
        table.rows.push_back(
            {line.file, fixed(static_cast<double>(line.bytes) / megabyte, 1), line.state});
    if (!table.rows.empty()) sections.push_back({"Checkpoints", "", to_html(table)});
}

std::string where_of(const RunContents& run) {
    if (!run.planned) return "";
    const runs::Planned& p = *run.planned;
    return text("; ", p.program, ", ", counted(p.ranks, "rank", "ranks"), ", mesh ", p.mesh,
                ", schedule ", p.schedule, ", ", p.threads,
                p.threads == 1 ? " thread a rank, " : " threads a rank, ", p.instructions);
}

std::string value_of(const RunContents& run, const std::string& name) {
    const auto values = values_of(run.configuration);
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
}

/// ` of 9`: the steps that were asked for, as steps tell them, before the first as options do.
std::string asked_of(const RunContents& run) {
    const double told = run.steps.last("steps");
    const std::string asked = std::isfinite(told) ? fixed(told, 0) : value_of(run, "steps");
    return asked.empty() || asked == "0" ? "" : " of " + asked;
}

report::PageHead head_of(const RunContents& run) {
    std::string foot = text("Made by civitas ", version(), " report.");
    if (run.steps.unreadable > 0)
        foot += text(" Lines of metrics.jsonl that could not be read: ", run.steps.unreadable, ".");
    return {.title = "Run " + run.name(),
            .subtitle = text(value_of(run, "net"), ", ", steps_of(run), asked_of(run), " steps",
                             where_of(run)),
            .foot = foot};
}

std::vector<std::map<std::string, std::string>> values_of_all(std::span<const RunContents> runs) {
    std::vector<std::map<std::string, std::string>> all;
    for (const RunContents& run : runs) all.push_back(values_of(run.configuration));
    return all;
}

Section figures_of(std::span<const RunContents> runs) {
    Table table{.head = {"run", "steps", "tiles/s", "memory of a rank, MB"}, .rows = {}};
    constexpr std::array<std::pair<const char*, const char*>, 6> last{{{"d_loss", "D's loss"},
                                                                       {"g_loss", "G's loss"},
                                                                       {"d_real", "D(x)"},
                                                                       {"d_fake", "D(G(z))"},
                                                                       {"loss", "loss"},
                                                                       {"top1", "top-1"}}};
    std::vector<const char*> keys;
    for (const auto& [key, name] : last)
        for (const RunContents& run : runs)
            if (std::isfinite(run.steps.last(key))) {
                keys.push_back(key);
                table.head.emplace_back(name);
                break;
            }
    for (const RunContents& run : runs) {
        auto& row = table.rows.emplace_back(std::vector<std::string>{
            run.name(), std::to_string(steps_of(run)), number(speed_of(run), 1),
            number(run.steps.last("bytes") / megabyte, 0)});
        for (const char* key : keys) row.push_back(number(run.steps.last(key), 3));
    }
    return {"Figures", "Speed by the median step; the others of the last step.", to_html(table)};
}

void add_differences(std::vector<Section>& sections, std::span<const RunContents> runs) {
    const auto values = values_of_all(runs);
    Table table{.head = {"option"}, .rows = {}, .of_words = true};
    for (const RunContents& run : runs) table.head.push_back(run.name());
    for (const std::string& name : differing(values)) {
        auto& row = table.rows.emplace_back(std::vector{name});
        for (const auto& of : values) row.push_back(of.contains(name) ? of.at(name) : "-");
    }
    if (!table.rows.empty()) sections.push_back({"Options that differ", "", to_html(table)});
}

}  // namespace

std::string to_page(const RunContents& run, const std::vector<Section>& more) {
    std::vector<Section> sections;
    add_charts(sections, charts_of(run));
    if (!run.samples.empty())
        sections.push_back({"Plans from the same noise",
                            "Sheets that the run drew on its way, from first to last.",
                            album(run.samples)});
    sections.insert(sections.end(), more.begin(), more.end());
    add_planned(sections, run);
    add_schedule(sections, run);
    add_checkpoints(sections, run);
    sections.push_back({"Configuration", "",
                        "<details><summary>config.ini</summary><pre>" +
                            report::escaped(run.configuration) + "</pre></details>\n"});
    return report::page(head_of(run), sections);
}

std::string to_page(std::span<const RunContents> runs) {
    ensure(!runs.empty() && runs.size() <= most_runs,
           "a page has as many runs as there are colours");
    std::vector<Section> sections{figures_of(runs)};
    add_differences(sections, runs);
    add_charts(sections, charts_of(runs));
    for (const RunContents& run : runs)
        if (!run.samples.empty())
            sections.push_back({"Last plans of " + run.name(), "", album({run.samples.back()})});
    return report::page({.title = text(runs.size(), " runs"),
                         .subtitle = join(runs, ", ", &RunContents::name),
                         .foot = text("Made by civitas ", version(), " report.")},
                        sections);
}

}  // namespace civitas::run_report
