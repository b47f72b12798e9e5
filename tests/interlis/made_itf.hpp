#pragma once
/// A small town as an INTERLIS 1 transfer, and as pieces to make others of.
#include "civitas/base/error.hpp"

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <string>
#include <vector>

namespace civitas::interlis::test {

struct Vertex {
    double x = 0, y = 0;
    bool on_arc = false;  ///< ARCP
};

struct Row {
    double x = 0, y = 0;
    std::string art;
};

/// Of a transfer; metres from a place in Switzerland.
struct MadeItf {
    std::string model = "DM01AVCH24LV95D", topic = "Bodenbedeckung";
    std::string table = "BoFlaeche", geometry = "BoFlaeche_Geometrie", projected = "ProjBoFlaeche";
    double east = 2600000, north = 1200000;
    std::vector<std::vector<Vertex>> lines;
    std::vector<Row> rows;
    std::size_t projected_areas = 1;
    std::string line_end = "\n";
};

/// A house of 40 x 30 m, a half-round one of 20 m radius, a street of 200 x 10 m whose edges end in
/// the middle of the boundary around all, a garden and a field.
inline MadeItf town() {
    MadeItf itf;
    itf.lines = {{{0, 0}, {200, 0}, {200, 200}, {0, 200}, {0, 0}},
                 {{50, 50}, {90, 50}, {90, 80}, {50, 80}, {50, 50}},
                 {{120, 20}, {140, 40, true}, {160, 20}, {120, 20}},
                 {{0, 100}, {200, 100}},
                 {{200, 110}, {0, 110}}};
    itf.rows = {{70, 65, "0"}, {140, 30, "0"}, {100, 105, "1"}, {10, 10, "11"}, {100, 150, "8"}};
    return itf;
}

inline std::string to_text(const MadeItf& itf) {
    const auto at = [&](double x, double y) {
        return text(std::fixed, std::setprecision(3), itf.east + x, ' ', itf.north + y);
    };
    std::vector<std::string> lines{"SCNT",
                                   "Gemeinde M\xfcnster \\",  // ISO 8859-1, free text
                                   "////",
                                   "MTID INTERLIS1",
                                   "MODL " + itf.model,
                                   "TOPI " + itf.topic,
                                   "TABL " + itf.projected};
    for (std::size_t i = 0; i < itf.projected_areas; ++i)
        lines.push_back(text("OBJE ", 900 + i, " 7 0 0"));
    lines.insert(lines.end(), {"ETAB", "TABL " + itf.geometry});
    for (std::size_t l = 0; l < itf.lines.size(); ++l) {
        lines.push_back(text("OBJE ", l));
        for (const auto& v : itf.lines[l])
            lines.push_back(text(&v == &itf.lines[l].front() ? "STPT "
                                 : v.on_arc                  ? "ARCP "
                                                             : "LIPT ",
                                 at(v.x, v.y)));
        lines.emplace_back("ELIN");
    }
    lines.insert(lines.end(), {"ETAB", "TABL " + itf.table});
    for (std::size_t r = 0; r < itf.rows.size(); ++r)
        lines.push_back(text("OBJE ", 100 + r, " 7 ", at(itf.rows[r].x, itf.rows[r].y), " 0 ",
                             itf.rows[r].art));
    lines.insert(lines.end(), {"ETAB", "ETOP", "EMOD", "ENDE"});
    std::string all;
    for (const auto& line : lines) all += line + itf.line_end;
    return all;
}

inline std::string write(const std::filesystem::path& file, const std::string& words) {
    std::ofstream(file, std::ios::binary) << words;
    return file.string();
}

inline std::string write(const std::filesystem::path& file, const MadeItf& itf) {
    return write(file, to_text(itf));
}

/// The text with the first `from` replaced.
inline std::string with(std::string words, const std::string& from, const std::string& to) {
    const auto at = words.find(from);
    if (at == std::string::npos) throw Error("the test looks for what is not there: " + from);
    return words.replace(at, from.size(), to);
}

}  // namespace civitas::interlis::test
