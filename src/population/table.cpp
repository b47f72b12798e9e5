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

Cells heading(const std::vector<Member>& members) {
    Cells cells{"member"};
    for (const Setting& setting : members.front().settings) cells.push_back(setting.option);
    for (const char* name : {"steps", "building", "road", "distance", "floor", "difference", "end"})
        cells.emplace_back(name);
    return cells;
}

Cells cells_of(const Member& member, const Ending& ending) {
    Cells cells{text(member.number)};
    for (const Setting& setting : member.settings) cells.push_back(setting.value);
    cells.push_back(text(ending.steps));
    if (const auto& f = ending.figures) {
        for (const double cover : {f->building, f->road}) cells.push_back(fixed(cover, 3));
        for (const double distance : {f->distance, f->floor}) cells.push_back(fixed(distance, 1));
        cells.push_back(fixed(f->difference, 3));
    } else {
        cells.insert(cells.end(), 5, "-");
    }
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

std::optional<std::size_t> best_of(const std::vector<Ending>& endings) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < endings.size(); ++i) {
        const auto& figures = endings[i].figures;
        if (!figures || !std::isfinite(figures->distance)) continue;
        if (!best || figures->distance < endings[*best].figures->distance) best = i;
    }
    return best;
}

std::string table_of(const std::vector<Member>& members, const std::vector<Ending>& endings) {
    std::vector<Cells> rows{heading(members)};
    for (std::size_t i = 0; i < members.size(); ++i)
        rows.push_back(cells_of(members[i], endings.at(i)));
    const auto best = best_of(endings);
    return text(aligned(rows), "best: ", best ? name_of(members[*best]) : "none",
                "\ndistance: sliced Wasserstein x 1000 of plans to as many test tiles; floor: of "
                "training tiles; difference: mean between two plans\n");
}

Exit exit_of(const std::vector<Ending>& endings) {
    bool stopped = false;
    for (const Ending& ending : endings) {
        if (ending.failed()) return ending.exit;
        stopped = stopped || ending.exit == Exit::stopped;
    }
    return stopped ? Exit::stopped : Exit::done;
}

}  // namespace civitas::population
