#pragma once
/// Who does what when: rows of labelled spans, as text for a terminal and as a picture.
#include "civitas/io/picture.hpp"

#include <string>
#include <vector>

namespace civitas::report {

/// A sort of work: its entry in the legend.
struct GanttKind {
    std::string name;
    char mark = '?';  ///< in the text
    io::Colour colour;
};

struct GanttSpan {
    double begin_s = 0;
    double end_s = 0;
    std::size_t kind = 0;  ///< in Gantt::kinds
    std::string label;     ///< in the picture's boxes, where it fits
    std::string hover;     ///< shown by viewers that can
};

struct GanttRow {
    std::string label;
    std::vector<GanttSpan> spans;        ///< ascending
    std::vector<GanttSpan> beside = {};  ///< of what goes on meanwhile, ascending
};

struct Gantt {
    std::string title;
    std::string subtitle;
    std::vector<GanttKind> kinds;
    std::vector<GanttRow> rows;

    [[nodiscard]] double end_s() const;
    /// The kinds that a span has, ascending.
    [[nodiscard]] std::vector<std::size_t> kinds_used() const;
};

/// A chart as text: a line per row, each character the kind that fills most of its share of the
/// time (`.`: idle), below it another of what goes on beside it, if there is any; then a time axis
/// and the legend. No line is longer than `columns`, which is at least 40.
[[nodiscard]] std::string to_text(const Gantt& gantt, std::size_t columns);

/// A chart as an SVG picture of its own: title, rows, time axis, legend. What goes on beside a row
/// is a thin lane below it.
[[nodiscard]] std::string to_svg(const Gantt& gantt);

/// The distance of the ticks of an axis of `end`: about `count` of them at 1, 2 or 5 times a power
/// of ten.
[[nodiscard]] double tick_step(double end, int count);
/// Seconds in words, `850 us`, `12.5 ms`, `3.2 s`, in the unit of `scale`, which is the longest
/// time shown.
[[nodiscard]] std::string time_text(double seconds, double scale);

}  // namespace civitas::report
