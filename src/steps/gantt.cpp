#include "civitas/steps/gantt.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/gan.hpp"

#include <array>
#include <iomanip>
#include <sstream>

namespace civitas::steps {
namespace {

using schedule::Action;
using schedule::Kind;
using schedule::NetId;

struct ActionStyle {
    Kind kind;
    const char* name;
    char generator_mark, discriminator_mark;
    io::Colour generator, discriminator;
};
/// G in blues and violets and capitals, D in oranges and greens and small letters; the same order
/// of darkness: F light, B middle, W dark.
constexpr std::array<ActionStyle, 9> styles{
    {{Kind::F, "forward", 'F', 'f', {144, 190, 232}, {250, 200, 120}},
     {Kind::B, "backward to input", 'B', 'b', {66, 133, 204}, {236, 140, 50}},
     {Kind::W, "backward to weights", 'W', 'w', {22, 72, 140}, {176, 82, 16}},
     {Kind::BW, "backward", 'X', 'x', {44, 102, 172}, {206, 111, 33}},
     {Kind::redraw, "drawn again", 'R', 'r', {184, 160, 220}, {200, 200, 200}},
     {Kind::recompute, "forward again", 'C', 'c', {130, 205, 195}, {190, 205, 110}},
     {Kind::gather, "gather of weights", 'A', 'a', {214, 140, 190}, {222, 120, 130}},
     {Kind::reduce, "sum over data", 'S', 's', {130, 130, 130}, {160, 150, 140}},
     {Kind::step, "update", 'U', 'u', {60, 60, 60}, {90, 80, 70}}}};

std::vector<report::GanttKind> kinds() {
    std::vector<report::GanttKind> all;
    for (const ActionStyle& style : styles)
        all.push_back({text("G ", style.name), style.generator_mark, style.generator});
    for (const ActionStyle& style : styles)
        all.push_back({text("D ", style.name), style.discriminator_mark, style.discriminator});
    return all;
}

std::size_t kind_of(const Action& action) {
    std::size_t at = 0;
    while (styles.at(at).kind != action.kind) ++at;
    return action.net == schedule::gan::generator ? at : at + styles.size();
}

/// Inside a box: the number of the micro-batch.
std::string label_of(const Action& action) {
    return schedule::of_visit(action.kind) ? std::to_string(index(action.micro)) : "";
}

}  // namespace

report::Gantt gantt_of(const planner::StepPlan& plan, const planner::Problem& problem) {
    std::ostringstream subtitle;
    subtitle << std::fixed << std::setprecision(1) << plan.layout.mesh.size() << " ranks, batch "
             << problem.batch << " in micro-batches of " << problem.micro_batch << ", "
             << to_string(problem.precision) << ": a step takes "
             << report::time_text(plan.step.makespan_s, plan.step.makespan_s) << ", "
             << 100 * plan.step.bubble() << " % of it idle. Numbers: micro-batches of a rank.";
    report::Gantt gantt{.title = text(problem.nets.name(), ", schedule ", plan.layout.schedule.name,
                                      ", mesh ", to_string(plan.layout.mesh)),
                        .subtitle = subtitle.str(),
                        .kinds = kinds(),
                        .rows = {}};
    for (std::size_t at = 0; at < plan.step.coordinates.size(); ++at)
        gantt.rows.push_back({text("pipe ", at), {}});
    for (const schedule::Span& span : plan.step.spans) {
        if (span.end_s <= span.begin_s) continue;
        const double seconds = span.end_s - span.begin_s;
        report::GanttRow& row = gantt.rows[static_cast<std::size_t>(span.coordinate)];
        (span.action.kind == Kind::gather ? row.beside : row.spans)
            .push_back({.begin_s = span.begin_s,
                        .end_s = span.end_s,
                        .kind = kind_of(span.action),
                        .label = label_of(span.action),
                        .hover = text(to_string(plan.layout.schedule.graph, span.action), ": ",
                                      report::time_text(seconds, seconds))});
    }
    return gantt;
}

}  // namespace civitas::steps
