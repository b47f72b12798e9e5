#include "civitas/report/gantt.hpp"

#include "civitas/report/page.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace civitas::report {
namespace {

// Pixels.
constexpr double width = 1400;
constexpr double margin = 24;
constexpr double header = 76;
constexpr double row_height = 40;
constexpr double row_gap = 10;
constexpr double lane_height = 9;
constexpr double lane_gap = 2;
constexpr double letter = 6.6;  ///< width of a letter of 12 px
constexpr double legend_line = 24;
constexpr double axis_height = 34;

std::string hex(io::Colour c) {
    std::ostringstream out;
    out << '#' << std::hex << std::setfill('0') << std::setw(2) << int{c.red} << std::setw(2)
        << int{c.green} << std::setw(2) << int{c.blue};
    return out.str();
}

const char* ink_on(io::Colour c) {
    return 0.3 * c.red + 0.59 * c.green + 0.11 * c.blue > 140 ? "#1b1b1b" : "#ffffff";
}

class Drawing {
public:
    explicit Drawing(const Gantt& gantt) : gantt_(gantt), end_s_(gantt.end_s()) {
        tops_.push_back(header);
        for (const GanttRow& row : gantt.rows)
            tops_.push_back(tops_.back() + row_height + row_gap +
                            (row.beside.empty() ? 0 : lane_gap + lane_height));
        for (const GanttRow& row : gantt.rows)
            left_ = std::max(left_, margin + letter * static_cast<double>(row.label.size()) + 12);
        out_ << std::fixed << std::setprecision(2);
    }

    [[nodiscard]] std::string whole() {
        body();
        const double height = legend_top() + legend() + margin;
        std::ostringstream svg;
        svg << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << width << R"(" height=")"
            << height << R"(" viewBox="0 0 )" << width << ' ' << height
            << R"(" font-family="Helvetica, Arial, sans-serif" font-size="12">)" << '\n'
            << R"(<rect width="100%" height="100%" fill="#ffffff"/>)" << '\n'
            << out_.str() << "</svg>\n";
        return svg.str();
    }

private:
    void body() {
        words(margin, 32, gantt_.title, R"(font-size="18" font-weight="bold")");
        words(margin, 54, gantt_.subtitle, R"(fill="#555555")");
        axis();
        for (std::size_t i = 0; i < gantt_.rows.size(); ++i) row(gantt_.rows[i], tops_[i]);
    }

    void words(double x, double y, const std::string& said, const std::string& style) {
        out_ << "<text x=\"" << x << "\" y=\"" << y << "\" " << style << '>' << escaped(said)
             << "</text>\n";
    }

    void row(const GanttRow& row, double top) {
        words(left_ - 10, top + row_height / 2 + 4, row.label, R"(text-anchor="end")");
        lane(row.spans, top, row_height);
        if (!row.beside.empty()) lane(row.beside, top + row_height + lane_gap, lane_height);
    }

    void lane(const std::vector<GanttSpan>& spans, double top, double height) {
        out_ << "<rect x=\"" << left_ << "\" y=\"" << top << "\" width=\"" << x_of(end_s_) - left_
             << "\" height=\"" << height << "\" fill=\"#eeeeee\"/>\n";
        for (const GanttSpan& span : spans) box(span, top, height);
    }

    void box(const GanttSpan& span, double top, double height) {
        const GanttKind& kind = gantt_.kinds.at(span.kind);
        const double x = x_of(span.begin_s);
        const double room = x_of(span.end_s) - x;
        out_ << "<rect x=\"" << x << "\" y=\"" << top << "\" width=\"" << room << "\" height=\""
             << height << "\" fill=\"" << hex(kind.colour) << '"';
        if (room > 4) out_ << " stroke=\"#ffffff\" stroke-width=\"0.8\"";
        out_ << "><title>" << escaped(span.hover) << "</title></rect>\n";
        if (room < letter * static_cast<double>(span.label.size()) + 2) return;
        words(x + room / 2, top + height / 2 + 4, span.label,
              std::string(R"(text-anchor="middle" pointer-events="none" fill=")") +
                  ink_on(kind.colour) + '"');
    }

    void axis() {
        const double bottom = tops_.back() - row_gap + 6;
        const double step = tick_step(end_s_, 12);
        for (int tick = 0; tick * step <= end_s_ * (1 + 1e-9); ++tick) {
            const double x = x_of(tick * step);
            out_ << "<line x1=\"" << x << "\" y1=\"" << header - 4 << "\" x2=\"" << x << "\" y2=\""
                 << bottom << "\" stroke=\"#bbbbbb\" stroke-width=\"1\"/>\n";
            words(x, bottom + 16, time_text(tick * step, end_s_),
                  R"(text-anchor="middle" fill="#555555")");
        }
    }

    /// Returns its height.
    double legend() {
        double x = left_;
        double y = legend_top();
        for (const std::size_t number : gantt_.kinds_used()) {
            const GanttKind& kind = gantt_.kinds[number];
            const double room = 40 + letter * static_cast<double>(kind.name.size());
            if (x + room > width - margin) x = left_, y += legend_line;
            out_ << "<rect x=\"" << x << "\" y=\"" << y << R"(" width="16" height="16" fill=")"
                 << hex(kind.colour) << "\"/>\n";
            words(x + 22, y + 12.5, kind.name, "");
            x += room;
        }
        return y - legend_top() + legend_line;
    }

    [[nodiscard]] double x_of(double seconds) const {
        return left_ + (width - margin - 16 - left_) * seconds / end_s_;
    }
    [[nodiscard]] double legend_top() const { return tops_.back() + axis_height; }

    const Gantt& gantt_;
    double end_s_;
    double left_ = margin;
    std::vector<double> tops_;  ///< of each row, and what follows the last one
    std::ostringstream out_;
};

}  // namespace

std::string to_svg(const Gantt& gantt) { return Drawing(gantt).whole(); }

}  // namespace civitas::report
