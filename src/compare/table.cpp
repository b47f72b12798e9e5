#include "civitas/compare/output.hpp"

#include "figures_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/compare/recommendation.hpp"

#include <iomanip>
#include <sstream>

namespace civitas::compare {
namespace {

void add_line(std::ostream& out, const std::vector<std::string>& cells) {
    constexpr int name_width = 22, cell_width = 11;
    for (std::size_t i = 0; i < cells.size(); ++i)
        out << (i == 0 ? std::left : std::right) << std::setw(i == 0 ? name_width : cell_width)
            << cells[i];
    out << '\n';
}

/// Broken where lines would be longer than a terminal's.
std::string wrapped(const std::string& words) {
    constexpr std::size_t columns = 100;
    std::istringstream in(words);
    std::string all, line;
    for (std::string word; in >> word;) {
        if (!line.empty() && line.size() + 1 + word.size() > columns) {
            all += line + '\n';
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return all + line + '\n';
}

}  // namespace

std::string subject_in_words(const Subject& s) {
    return text("batches of ", s.batch, " tiles in micro-batches of ", s.micro_batch, ", ",
                s.precision, "; ", s.ranks, s.ranks == 1 ? " rank, " : " ranks, ",
                resources_in_words(s));
}

std::string method_in_words(const Subject& s) {
    if (s.steps == 0) return text("Nothing was trained: predicted by ", s.predicted_by, '.');
    return text("Each strategy trained ", s.steps, " steps from the same weights in each of ",
                s.rounds, s.rounds == 1 ? " round" : " rounds", ", in turn; the first ", s.warm_up,
                s.warm_up == 1 ? " step does" : " steps do",
                " not count. Figures are medians of rounds. Predicted by ", s.predicted_by, '.');
}

std::string to_text(const Comparison& c) {
    std::ostringstream out;
    out << c.subject.workload << ": " << subject_in_words(c.subject) << '\n'
        << wrapped(method_in_words(c.subject)) << '\n';
    std::vector<std::string> head{"strategy"};
    for (const Column& column : columns_of(c)) head.push_back(column.name);
    add_line(out, head);
    for (const Outcome& o : c.outcomes) {
        std::vector<std::string> cells{o.strategy.name};
        for (const Column& column : columns_of(c)) cells.push_back(column.cell(o));
        if (o.why_not.empty()) add_line(out, cells);
    }
    for (const Outcome& o : c.outcomes)
        if (!o.why_not.empty())
            out << std::left << std::setw(22) << o.strategy.name << "not compared: " << o.why_not
                << '\n';
    const Recommendation advice = recommend(c);
    out << '\n' << wrapped(advice.words);
    for (const std::string& reason : advice.reasons) out << wrapped(reason);
    return out.str();
}

}  // namespace civitas::compare
