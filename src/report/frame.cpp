#include "civitas/report/frame.hpp"

#include "civitas/report/page.hpp"

#include <iomanip>
#include <sstream>

namespace civitas::report {

std::string framed(const std::string& picture, const Axis& below, const Axis& left) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(1);
    const auto ticks = [&](const Axis& axis, const char* side) {
        for (const Tick& tick : axis.ticks)
            out << "<span style=\"" << side << ':' << 100 * tick.share << "%\">"
                << escaped(tick.words) << "</span>";
    };
    out << "<div class=\"chart\"><span class=\"unit\">" << escaped(left.name)
        << "</span>\n<div class=\"levels\">";
    ticks(left, "bottom");
    out << "</div>\n" << picture << "<div class=\"steps\">";
    ticks(below, "left");
    out << "</div><span class=\"along\">" << escaped(below.name) << "</span></div>\n";
    return out.str();
}

}  // namespace civitas::report
