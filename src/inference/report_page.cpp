#include "report_rows.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/inference/report_output.hpp"
#include "civitas/report/bars.hpp"
#include "civitas/report/page.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace civitas::inference {
namespace {

using report::Bar, report::BarChart, report::Section;

/// From real tiles to shuffled pixels, whichever is less.
std::pair<double, double> real_to_noise(double real, double noise) {
    return std::minmax(real, noise);
}

BarChart chart() { return {{"plans"}, {}, "from training tiles to shuffled pixels", {}}; }

Section distances(const std::string& title, const quality::SlicedDistances& sliced) {
    BarChart bars = chart();
    const auto add = [&](const std::string& label, const quality::PerSet<double>& d) {
        bars.bars.push_back({label,
                             {d.plans},
                             text(fixed(d.plans, 1), " (real ", fixed(d.train, 1), ")"),
                             real_to_noise(d.train, d.noise)});
    };
    for (const auto& level : sliced.levels) add(text(level.pixels, " pixels"), level.distance);
    add("mean", sliced.mean);
    bars.bars.back().stands_out = true;
    return {title,
            "Sliced Wasserstein distance to test tiles, times 1000, at every size of an image "
            "pyramid: fine patterns above, coarse ones below. Shorter is nearer; where the line "
            "begins is real against real, also in brackets.",
            to_html(bars)};
}

Section group_chart(const quality::ReportGroup& group) {
    BarChart bars = chart();
    for (const auto& row : group.rows) {
        const auto& a = row.apart;
        // Where one set has no values, nothing is compared and no bar is drawn.
        if (a.plans.ks != a.plans.ks || a.train.ks != a.train.ks || a.noise.ks != a.noise.ks)
            continue;
        bars.bars.push_back({std::string(row.name),
                             {a.plans.ks},
                             text(fixed(a.plans.ks, 2), " (real ", fixed(a.train.ks, 2), ")"),
                             real_to_noise(a.train.ks, a.noise.ks)});
    }
    return {std::string(group.title),
            "Kolmogorov-Smirnov statistic of each figure's distribution against that of test "
            "tiles: 0 is the same, 1 nothing in common. In brackets: of training tiles.",
            to_html(bars)};
}

/// Whether a figure is defined for every set that the means are drawn of.
bool known(const quality::ReportRow& row) {
    const std::array means{row.mean.plans, row.mean.train, row.test};
    return std::all_of(means.begin(), means.end(),
                       [](double mean) { return std::isfinite(mean) && mean >= 0; }) &&
           *std::max_element(means.begin(), means.end()) > 0;
}

std::string means_of(const quality::ReportGroup& group) {
    std::string html;
    for (const auto& row : group.rows) {
        if (!known(row)) continue;
        BarChart bars{{"mean"}, {}, {}, {}};
        const auto add = [&](const char* label, double value) {
            bars.bars.push_back({label, {value}, text(figure_text(value), ' ', row.unit)});
        };
        add("plans", row.mean.plans);
        add("test tiles", row.test);
        add("training tiles", row.mean.train);
        bars.bars.front().stands_out = true;
        html += text("<p class=\"legend\">", report::escaped(row.name), "</p>\n", to_html(bars));
    }
    return html;
}

Section copies(const quality::Report& report) {
    const quality::Memorisation& m = report.memorisation;
    report::Table table{{"share of pixels unlike the nearest training tile", "mean", "least"},
                        {{"plans", figure_text(m.plans), figure_text(m.nearest_plan)},
                         {"test tiles", figure_text(m.test), figure_text(m.nearest_test)}}};
    return {
        "Copies of training tiles",
        text("The nearest of ", m.among,
             " training tiles in any of the 8 symmetries of the square. Plans that were "
             "learnt by heart come nearer than test tiles, which nobody has seen: the ratio is ",
             figure_text(m.ratio()), ", and ", fixed(100 * m.nearer_share, 1),
             " % of the plans come nearer than any test tile."),
        to_html(table)};
}

Section whole_sets(const quality::Report& report) {
    report::Table table{{"figure", "plans", "test", "training", "noise"}, {}};
    for (const SetRow& row : set_rows(report))
        table.rows.push_back({row.name, figure_text(row.set.plans),
                              row.test ? figure_text(*row.test) : "", figure_text(row.set.train),
                              figure_text(row.set.noise)});
    return {"Whole sets",
            "Soft: as drawn, or averaged from larger tiles; stored: each pixel its strongest "
            "class. MMD: kernel two-sample test on all figures below together, p by permutation.",
            to_html(table)};
}

Section obedience(const quality::Report& report) {
    report::Table table{{"share of a plan", "wished", "drawn", "mean error", "correlation"}, {}};
    for (const quality::Obedience& row : report.obedience)
        table.rows.push_back({std::string(row.name), figure_text(row.wished),
                              figure_text(row.drawn), figure_text(row.error),
                              figure_text(row.correlation)});
    return {"As the plans were asked to be",
            "Each plan was asked for the cover of some training tile: the mean of what was asked "
            "for and of what was drawn, the mean absolute difference, and Pearson's correlation.",
            to_html(table)};
}

Section likeness_section(const quality::Likeness& likeness) {
    report::Table table{{"distances"}, {}};
    for (const auto& town : likeness.towns) table.head.push_back("to " + printable(town.town));
    for (const auto& town : likeness.towns) {
        const auto row = [&](const char* of, const std::vector<double>& distances) {
            auto& cells = table.rows.emplace_back(std::vector{text(of, ' ', printable(town.town))});
            for (const double distance : distances) cells.push_back(figure_text(distance));
        };
        row("plans like", town.plans);
        row("training tiles of", town.train);
    }
    return {"As the towns that were asked for", likeness_in_words(likeness), to_html(table)};
}

Section all_figures(const quality::Report& report) {
    report::Table table{{"figure", "unit", "plans", "test", "training", "noise", "KS plans",
                         "KS training", "KS noise", "W1 plans", "W1 training", "W1 noise"},
                        {}};
    for (const auto& group : report.groups)
        for (const auto& row : group.rows) {
            const auto& a = row.apart;
            auto& cells = table.rows.emplace_back(
                std::vector{text(group.title, ": ", row.name), std::string(row.unit)});
            for (const double value :
                 {row.mean.plans, row.test, row.mean.train, row.mean.noise, a.plans.ks, a.train.ks,
                  a.noise.ks, a.plans.wasserstein, a.train.wasserstein, a.noise.wasserstein})
                cells.push_back(figure_text(value));
        }
    return {"All figures", "Means, and distances to test tiles in the figure's unit (W1).",
            to_html(table)};
}

}  // namespace

std::vector<Section> sections_of(const quality::Report& report) {
    const auto& d = report.stored.sliced.mean;
    std::vector<Section> sections{
        {"How near", "",
         report::callout(
             text("Sliced Wasserstein distance ", fixed(d.plans, 1), ", of real tiles by chance ",
                  fixed(d.train, 1)),
             {text("Shuffled pixels are at ", fixed(d.noise, 1),
                   ". All figures together: MMD squared ", figure_text(report.mmd.plans.squared),
                   " (p ", figure_text(report.mmd.plans.p), "), of training tiles ",
                   figure_text(report.mmd.train.squared), " (p ", figure_text(report.mmd.train.p),
                   ").")})}};
    sections.push_back(distances("Stored tiles", report.stored.sliced));
    sections.push_back(distances("Soft tiles", report.soft.sliced));
    for (const auto& group : report.groups) {
        Section section = group_chart(group);
        section.body += "<details><summary>Means</summary>\n" + means_of(group) + "</details>\n";
        sections.push_back(std::move(section));
    }
    sections.push_back(copies(report));
    if (!report.obedience.empty()) sections.push_back(obedience(report));
    if (report.likeness) sections.push_back(likeness_section(*report.likeness));
    sections.push_back(whole_sets(report));
    sections.push_back(all_figures(report));
    return sections;
}

std::string to_page(const quality::Report& report, const ReportSubject& subject) {
    return report::page({text("Quality of ", subject.plans),
                         text(subject_in_words(report), "; from ", subject.tiles),
                         "Figures are defined in src/quality/README.md."},
                        sections_of(report));
}

}  // namespace civitas::inference
