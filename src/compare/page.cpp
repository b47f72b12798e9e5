#include "charts.hpp"
#include "figures_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/compare/output.hpp"
#include "civitas/compare/recommendation.hpp"
#include "civitas/report/page.hpp"

namespace civitas::compare {
namespace {

using report::BarChart, report::Section;

void add_chart(std::vector<Section>& sections, const std::string& title, const std::string& about,
               const BarChart& chart) {
    if (!chart.bars.empty()) sections.push_back({title, about, to_html(chart)});
}

std::string figures_table(const Comparison& c) {
    report::Table table{.head = {"strategy"}, .rows = {}};
    const auto columns = columns_of(c);
    for (const Column& column : columns) table.head.push_back(column.name);
    for (const Outcome& o : c.outcomes) {
        if (!o.why_not.empty()) continue;
        auto& row = table.rows.emplace_back(std::vector{o.strategy.name});
        for (const Column& column : columns) row.push_back(column.cell(o));
    }
    return to_html(table);
}

void add_reasons(std::vector<Section>& sections, const Comparison& c) {
    report::Table table{.head = {"strategy", "why not"}, .rows = {}, .of_words = true};
    for (const Outcome& o : c.outcomes)
        if (!o.why_not.empty()) table.rows.push_back({o.strategy.name, o.why_not});
    if (table.rows.empty()) return;
    sections.push_back({"Not compared",
                        "Strategies that do not fit these ranks, this batch or "
                        "these nets, or that have failed.",
                        to_html(table)});
}

Section how_to_train(const Comparison& c) {
    report::Table table{
        .head = {"strategy", "ranks", "what it does", "options"}, .rows = {}, .of_words = true};
    for (const Outcome& o : c.outcomes)
        if (o.why_not.empty())
            table.rows.push_back(
                {o.strategy.name, std::to_string(o.strategy.ranks), o.strategy.words, o.options});
    return {"How to train by each",
            text("By mpirun -n with the ranks --bind-to none ", c.subject.command,
                 ", and the options of the strategy:"),
            to_html(table)};
}

/// What the columns of predictions are.
constexpr const char* about_predictions =
    "All as predicted. Speed-up: over one process. Waiting: the share of a step in which ranks "
    "of a pipe wait for each other. Memory: all that a rank needs at its peak, of the rank that "
    "needs most.";

/// What the columns are, and what the names of losses in a cell stand for.
std::string about_figures(const Comparison& c) {
    if (c.on_paper()) return about_predictions;
    std::string words =
        "Threads: ranks, and threads of each. Speed-up: over one process. Efficiency: the speed-up "
        "by how many times the cores or GPUs of the one process a strategy has. Communication and "
        "waiting: shares of a step. Memory: what the program holds for the nets at most, of the "
        "rank that has most. Planned: a step as predicted.";
    for (const Outcome& o : c.outcomes) {
        if (!o.measured() || o.rounds.front().losses.empty()) continue;
        words += " Losses: after the last step, which all reach with the same tiles:";
        for (const auto& loss : o.rounds.front().losses) words += ' ' + loss.first;
        return words + '.';
    }
    return words;
}

void add_charts(std::vector<Section>& sections, const Comparison& c, const std::string& best) {
    add_chart(sections, "Speed", "Longer is faster.", speed_chart(c, best));
    add_chart(
        sections, "Where the time of a step goes",
        "Communication, of the rank that spends most on it, has the waiting for slower ranks "
        "in it; waiting is for others of a pipe, or for work that servers give, the mean of the "
        "ranks. The figure is what is left for computing.",
        shares_chart(c));
    add_chart(sections, "Memory of a rank",
              c.on_paper() ? "Predicted, all that a rank needs at its peak."
                           : "What the program holds for the nets; of the rank that has most.",
              memory_chart(c));
    add_chart(sections, "Traffic of each cut",
              c.on_paper()
                  ? "Predicted, what a step of one pipe sends through a cut of a net, both ways: "
                    "activations and gradients."
                  : "What a step sends from one place on a pipe to another: activations one way, "
                    "gradients the other.",
              traffic_chart(c));
    add_chart(sections, "Waiting at each cut",
              "How long a step's receiver waits for what comes through the cut: the time of the "
              "message, and of the work that it waits for; of the copies of a pipe the longest.",
              waits_chart(c));
}

}  // namespace

std::string to_page(const Comparison& c) {
    const Recommendation advice = recommend(c);
    std::vector<Section> sections{
        {"Recommended", "", report::callout(advice.words, advice.reasons)}};
    add_charts(sections, c, advice.strategy);
    sections.push_back({"All figures", about_figures(c), figures_table(c)});
    add_reasons(sections, c);
    sections.push_back(how_to_train(c));
    return report::page({.title = text("Strategies to train ", c.subject.workload, " by ",
                                       counted(c.subject.ranks, "rank", "ranks")),
                         .subtitle = subject_in_words(c.subject),
                         .foot = method_in_words(c.subject)},
                        sections);
}

}  // namespace civitas::compare
