#include "report_rows.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/inference/report_output.hpp"

#include <iomanip>
#include <sstream>

namespace civitas::inference {
namespace {

constexpr int name_width = 30;
constexpr int unit_width = 9;
constexpr int figure_width = 10;

void add_cells(std::ostream& out, const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) out << std::right << std::setw(figure_width) << cell;
    out << '\n';
}

void add_name(std::ostream& out, std::string_view name, std::string_view unit) {
    out << std::left << std::setw(name_width) << name << std::setw(unit_width) << unit;
}

void add_set_rows(std::ostream& out, const quality::Report& report) {
    add_name(out, "Whole sets", "");
    add_cells(out, {"plans", "test", "training", "noise"});
    for (const SetRow& row : set_rows(report)) {
        add_name(out, "  " + row.name, "");
        add_cells(out, {figure_text(row.set.plans), row.test ? figure_text(*row.test) : "",
                        figure_text(row.set.train), figure_text(row.set.noise)});
    }
}

void add_group(std::ostream& out, const quality::ReportGroup& group) {
    add_name(out, group.title, "");
    add_cells(out, {"plans", "test", "training", "KS plans", "training", "noise", "W1 plans",
                    "training"});
    for (const quality::ReportRow& row : group.rows) {
        add_name(out, "  " + std::string(row.name), row.unit);
        const auto& a = row.apart;
        add_cells(out,
                  {figure_text(row.mean.plans), figure_text(row.test), figure_text(row.mean.train),
                   figure_text(a.plans.ks), figure_text(a.train.ks), figure_text(a.noise.ks),
                   figure_text(a.plans.wasserstein), figure_text(a.train.wasserstein)});
    }
}

void add_memorisation(std::ostream& out, const quality::Memorisation& m) {
    out << "Copies of " << m.among << " training tiles\n";
    add_name(out, "  pixels unlike the nearest", "share");
    add_cells(out, {figure_text(m.plans), figure_text(m.test)});
    add_name(out, "  the same, least", "share");
    add_cells(out, {figure_text(m.nearest_plan), figure_text(m.nearest_test)});
    add_name(out, "  plans to test tiles", "ratio");
    add_cells(out, {figure_text(m.ratio())});
    add_name(out, "  nearer than any test tile", "share");
    add_cells(out, {figure_text(m.nearer_share)});
}

void add_obedience(std::ostream& out, const std::vector<quality::Obedience>& rows) {
    if (rows.empty()) return;
    add_name(out, "As the plans were asked to be", "");
    add_cells(out, {"wished", "drawn", "error", "corr."});
    for (const quality::Obedience& row : rows) {
        add_name(out, "  " + std::string(row.name), "share");
        add_cells(out, {figure_text(row.wished), figure_text(row.drawn), figure_text(row.error),
                        figure_text(row.correlation)});
    }
}

void add_likeness(std::ostream& out, const quality::Likeness& likeness) {
    add_name(out, "As the towns that were asked for", "");
    std::vector<std::string> heads;
    for (std::size_t i = 0; i < likeness.towns.size(); ++i) heads.push_back(text("to ", i + 1));
    add_cells(out, heads);
    std::int64_t number = 0;
    for (const quality::TownDistances& town : likeness.towns) {
        const auto row = [&](const std::string& name, const char* set,
                             const std::vector<double>& distances) {
            add_name(out, name, set);
            std::vector<std::string> cells;
            for (const double distance : distances) cells.push_back(figure_text(distance));
            add_cells(out, cells);
        };
        row(text("  ", ++number, ' ', printable(town.town)), " plans", town.plans);
        row("", " real", town.train);
    }
    out << "  " << likeness_in_words(likeness) << '\n';
}

}  // namespace

std::string to_text(const quality::Report& report) {
    std::ostringstream out;
    out << subject_in_words(report) << '\n';
    add_set_rows(out, report);
    add_obedience(out, report.obedience);
    if (report.likeness) add_likeness(out, *report.likeness);
    for (const auto& group : report.groups) add_group(out, group);
    add_memorisation(out, report.memorisation);
    out << "KS: Kolmogorov-Smirnov, 0 to 1, and W1: Wasserstein distance in the figure's unit, "
           "both "
           "to test tiles.\nTraining tiles are real ones: what they have by chance is as near as "
           "plans can come. Noise: test tiles with\ntheir pixels shuffled. Soft: as drawn; stored: "
           "each pixel its strongest class, as all other figures.";
    return out.str();
}

std::string to_lines(const quality::Report& report) {
    std::ostringstream out;
    const auto line = [&](std::string_view set, std::string_view key, std::string_view what,
                          double value) {
        out << set << '.' << key << what << " = " << value << '\n';
    };
    const auto lines = [&](std::string_view key, std::string_view what,
                           const quality::PerSet<double>& values) {
        line("plans", key, what, values.plans);
        line("real", key, what, values.train);
        line("noise", key, what, values.noise);
    };
    out << "count = " << report.count << "\npixels = " << report.pixels
        << "\npixel_metres = " << report.pixel_metres << '\n';
    for (const SetRow& row : set_rows(report)) {
        lines(row.key, "", row.set);
        if (row.test) line("test", row.key, "", *row.test);
    }
    for (const auto& group : report.groups)
        for (const auto& row : group.rows) {
            const auto& a = row.apart;
            lines(row.key, "", row.mean);
            line("test", row.key, "", row.test);
            lines(row.key, ".ks", {a.plans.ks, a.train.ks, a.noise.ks});
            lines(row.key, ".wasserstein",
                  {a.plans.wasserstein, a.train.wasserstein, a.noise.wasserstein});
        }
    const quality::Memorisation& m = report.memorisation;
    line("plans", "nearest", "", m.plans);
    line("test", "nearest", "", m.test);
    line("plans", "nearest", ".least", m.nearest_plan);
    line("test", "nearest", ".least", m.nearest_test);
    line("plans", "nearest", ".ratio", m.ratio());
    line("plans", "nearest", ".nearer_share", m.nearer_share);
    for (const quality::Obedience& row : report.obedience) {
        line("wished", row.key, "", row.wished);
        line("wished", row.key, ".drawn", row.drawn);
        line("wished", row.key, ".error", row.error);
        line("wished", row.key, ".correlation", row.correlation);
    }
    if (report.likeness) {
        out << "like.count = " << report.likeness->count << '\n';
        const auto& towns = report.likeness->towns;
        for (std::size_t i = 0; i < towns.size(); ++i) {
            out << "like." << i + 1 << ".town = " << printable(towns[i].town) << '\n';
            for (std::size_t j = 0; j < towns.size(); ++j) {
                line(text("like.", i + 1), text("plans.", j + 1), "", towns[i].plans[j]);
                line(text("like.", i + 1), text("real.", j + 1), "", towns[i].train[j]);
            }
        }
    }
    out << "learnt = " << m.among << '\n';
    return out.str();
}

}  // namespace civitas::inference
