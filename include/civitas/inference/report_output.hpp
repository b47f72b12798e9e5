#pragma once
/// A report on plans as a table, as name = value lines, as JSON and as a page. Pure.
#include "civitas/quality/report.hpp"
#include "civitas/report/page.hpp"

#include <string>
#include <vector>

namespace civitas::inference {

/// What a report is of, in words: {"town", "tiles.h5"}.
struct ReportSubject {
    std::string plans;
    std::string tiles;
};

/// For a terminal: a line for each figure.
[[nodiscard]] std::string to_text(const quality::Report& report);
/// `plans.building_area = 143.25`: NAME of a set, of a figure by its key, and of what tells it
/// apart from test tiles (`ks`, `wasserstein`) where there is one. Figures that are not defined are
/// `nan`.
[[nodiscard]] std::string to_lines(const quality::Report& report);
/// One object with all of it; figures that are not defined are null.
[[nodiscard]] std::string to_json(const quality::Report& report, const ReportSubject& subject);
/// Parts of a page, with charts.
[[nodiscard]] std::vector<report::Section> sections_of(const quality::Report& report);
/// One HTML page of its own, of these.
[[nodiscard]] std::string to_page(const quality::Report& report, const ReportSubject& subject);

/// `250 plans beside as many test and training tiles, 64 pixels of 3.91 m a side`.
[[nodiscard]] std::string subject_in_words(const quality::Report& report);

}  // namespace civitas::inference
