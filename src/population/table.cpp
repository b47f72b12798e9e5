#include "civitas/population/table.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::population {
namespace {

using Cells = std::vector<std::string>;

/// The first sentence of an error, without its hint, cut where it is long.
std::string in_few_words(const std::string& cause) {
    constexpr std::size_t most = 80;
    std::string words = cause.substr(0, std::min(cause.find(" Hint: "), cause.find('\n')));
    if (words.size() > most) words = words.substr(0, most) + "...";
    return words;
}

std::string end_of(const Ending& ending) {
    switch (ending.exit) {
        case Exit::done: return "done";
        case Exit::stopped: return "stopped";
        default: return "failed: " + in_few_words(ending.cause);
    }
}

Cells heading(const Comparison& comparison, const std::vector<Member>& members) {
    Cells cells{"member"};
    for (const Setting& setting : members.front().settings) cells.push_back(setting.option);
    cells.emplace_back("steps");
    for (const Column& column : comparison.columns) cells.push_back(column.name);
    cells.emplace_back("end");
    return cells;
}

Cells cells_of(const Comparison& comparison, const Member& member, const Ending& ending) {
    Cells cells{text(member.number)};
    for (const Setting& setting : member.settings) cells.push_back(setting.value);
    cells.push_back(text(ending.steps));
    for (std::size_t i = 0; i < comparison.columns.size(); ++i)
        cells.push_back(ending.figures ? fixed(ending.figures->at(i), comparison.columns[i].digits)
                                       : "-");
    cells.push_back(end_of(ending));
    return cells;
}

/// Columns to the right, but the last.
std::string aligned(const std::vector<Cells>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Cells& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string lines;
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i)
            lines += std::string(widths[i] - row[i].size(), ' ') + row[i] + "  ";
        lines += row.back() + '\n';
    }
    return lines;
}

}  // namespace

Comparison comparison_of(TaskKind task) {
    if (task == TaskKind::classify)
        return {{{"loss", 3}, {"top-1", 3}, {"top-5", 3}},
                0,
                "loss, top-1, top-5: of the test tiles after the last step"};
    return {{{"building", 3}, {"road", 3}, {"distance", 1}, {"floor", 1}, {"difference", 3}},
            2,
            "distance: sliced Wasserstein x 1000 of plans to as many test tiles; floor: of "
            "training tiles; difference: mean between two plans"};
}

std::optional<std::size_t> best_of(const Comparison& comparison,
                                   const std::vector<Ending>& endings) {
    std::optional<std::size_t> best;
    const auto value = [&](std::size_t i) { return endings[i].figures->at(comparison.best); };
    for (std::size_t i = 0; i < endings.size(); ++i) {
        if (!endings[i].figures || !std::isfinite(value(i))) continue;
        if (!best || value(i) < value(*best)) best = i;
    }
    return best;
}

std::string table_of(const Comparison& comparison, const std::vector<Member>& members,
                     const std::vector<Ending>& endings) {
    std::vector<Cells> rows{heading(comparison, members)};
    for (std::size_t i = 0; i < members.size(); ++i)
        rows.push_back(cells_of(comparison, members[i], endings.at(i)));
    const auto best = best_of(comparison, endings);
    return text(aligned(rows), "best: ", best ? name_of(members[*best]) : "none", '\n',
                comparison.legend, '\n');
}

Exit exit_of(const std::vector<Ending>& endings) {
    Exit error = Exit::done;
    for (const Ending& ending : endings) {
        if (ending.exit == Exit::stopped) return Exit::stopped;
        if (error == Exit::done) error = ending.exit;
    }
    return error;
}

}  // namespace civitas::population
