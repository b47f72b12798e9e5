#include "itf_parser.hpp"

#include "civitas/base/error.hpp"

#include <cpl_port.h>
#include <algorithm>
#include <array>

namespace civitas::interlis {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view undefined = "@";
constexpr std::size_t most_topics_named = 8;
constexpr std::size_t longest_name = 200;

/// Land cover in the German, French and Italian federal model, and what is yet to be built.
constexpr std::array land_cover{"BoFlaeche", "SurfaceCS", "SuperficieCS"};
constexpr std::array projected{"ProjBoFlaeche", "SurfaceCSProj", "SuperficieCSProg"};

constexpr std::array keywords{"SCNT", "MTID", "MODL", "TOPI", "TABL", "OBJE", "STPT",
                              "LIPT", "ARCP", "ELIN", "EDGE", "EEDG", "LATT", "ELAT",
                              "PERI", "ETAB", "ETOP", "EMOD", "ENDE"};

/// Columns of a row of land cover: OBJE, its number, Entstehung, easting, northing, Qualitaet, Art.
constexpr std::size_t column_of_tid = 1, column_of_easting = 3, column_of_northing = 4,
                      column_of_art = 6, columns = 7;

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const auto end = std::min(line.find_first_of(blanks, begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return words;
}

bool same(std::string_view a, const std::string& b) {
    return EQUAL(std::string(a).c_str(), b.c_str());
}

template <class Names>
bool is_one_of(const Names& names, std::string_view word) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return same(word, name); });
}

/// `BoFlaeche_Geometrie` of `BoFlaeche`.
bool is_geometry_of_land_cover(std::string_view table) {
    const auto end = table.find("_Geom");
    return end != std::string_view::npos && is_one_of(land_cover, table.substr(0, end));
}

std::string shown(std::string_view word) {
    constexpr std::size_t most = 40;
    return text('\'', word.substr(0, most), '\'');
}

std::string listed(const std::set<std::string>& names) {
    std::string all;
    std::size_t count = 0;
    for (const auto& name : names) {
        if (++count > most_topics_named) return all + ", ...";
        all += (all.empty() ? "" : ", ") + name;
    }
    return all.empty() ? "none" : all;
}

}  // namespace

Parser::Parser(FileName file, Reading reading)
    : file_(std::move(file)),
      bear_damage_(reading.bear_damage),
      lines_(file_),
      arcs_(reading.arc_step) {}

/// A line, with those that continue it. One that should continue another and does not is the next.
bool Parser::next_line() {
    if (following_) {
        line_ = std::move(*following_);
        following_.reset();
    } else if (!lines_.next(line_)) {
        return false;
    }
    while (!in_header_ && !line_.empty() && line_.back() == '\\') {
        std::string more;
        const bool there = lines_.next(more);
        if (!there || !more.starts_with("CONT")) {
            if (there) following_ = std::move(more);
            throw Error("a line that goes on is not continued by CONT");
        }
        line_.pop_back();
        line_ += more.substr(std::min<std::size_t>(more.size(), 5));
        if (line_.size() > (std::size_t{1} << 20)) throw Error("it is continued without end");
    }
    return true;
}

void Parser::refuse_unless_borne(const std::string& what) const {
    if (!begun_)
        throw Error(text("cannot read ", file_.label, ": line ", lines_.number(), ": ", what),
                    Hint{"is it a transfer in INTERLIS 1?"});
    if (!bear_damage_) refuse_damage(file_, lines_.number(), what);
}

void Parser::break_off(const std::string& what) {
    ended_ = true;
    refuse_unless_borne(what);
    transfer_.broke_off = interlis::break_off(file_, lines_.number(), what);
    drop_line();
}

bool Parser::step() {
    if (ended_) return false;
    bool more = true;
    try {
        more = next_line();
        if (more) take(words_of(line_));
    } catch (const Error& error) {
        refuse_unless_borne(error.what());
        ++transfer_.damaged;
        drop_line();
    }
    if (!more) break_off(begun_ ? "the file ends before ENDE" : "it is no INTERLIS 1: no SCNT");
    if (ended_) finish();
    return !ended_;
}

void Parser::take(const Words& words) {
    if (words.empty() || words[0].starts_with("!!")) return;
    if (in_header_) {  // free text
        in_header_ = words[0] != "////";
        return;
    }
    if (!is_one_of(keywords, words[0]))
        throw Error(text(shown(words[0]), " is no keyword of INTERLIS 1"));
    if (words[0] == "SCNT") {
        begun_ = in_header_ = true;
        return;
    }
    if (!begun_) throw Error("it is no INTERLIS 1: it does not begin with SCNT");
    const auto name = [&] {
        if (words.size() < 2) throw Error(text(words[0], " has no name"));
        return std::string(words[1].substr(0, longest_name));
    };
    if (words[0] == "MODL") {
        transfer_.model = name();
    } else if (words[0] == "TOPI") {
        transfer_.topics.insert(name());
    } else if (words[0] == "TABL") {
        begin_table(name());
    } else if (words[0] == "ETAB") {
        table_ = Table::none;
        if (open_) throw Error("the table ends within a line");
    } else if (words[0] == "ENDE") {
        ended_ = true;
        if (table_ != Table::none) throw Error("the transfer ends within a table");
    } else {
        take_in_table(words);
    }
}

void Parser::begin_land_cover() {
    auto& model = transfer_.land_cover_model;
    if (model.empty()) model = transfer_.model;
    if (model == transfer_.model) return;
    table_ = Table::other;
    throw Error(text("land cover of a second model, ", transfer_.model, " after ", model));
}

void Parser::begin_table(std::string_view name) {
    if (is_one_of(land_cover, name)) {
        begin_land_cover();
        table_ = Table::rows;
        transfer_.table = name;
    } else if (is_geometry_of_land_cover(name)) {
        begin_land_cover();
        table_ = Table::boundaries;
    } else {
        table_ = is_one_of(projected, name) ? Table::projected : Table::other;
    }
}

void Parser::take_in_table(const Words& words) {
    if (table_ == Table::boundaries) return take_vertex(words);
    if (words[0] != "OBJE") return;
    if (table_ == Table::rows) take_row(words);
    if (table_ == Table::projected) ++transfer_.projected;
}

void Parser::take_row(const Words& words) {
    if (words.size() < columns)
        throw Error(text("an area of land cover has ", words.size() - 1, " values, not the ",
                         columns - 1, " of ", transfer_.table,
                         " (number, Entstehung, E, N, Qualitaet, Art)"));
    const auto art = words[column_of_art];
    const bool digits =
        std::all_of(art.begin(), art.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (art != undefined && (!digits || art.size() > 4))
        throw Error(text(shown(art), " is no number of land cover"));
    transfer_.rows.push_back(
        {std::string(words[column_of_tid].substr(0, longest_name)),
         lines_.number(),
         {metres_in(words[column_of_easting]), metres_in(words[column_of_northing])},
         art == undefined ? std::nullopt : std::optional<std::string>(art)});
}

void Parser::take_vertex(const Words& words) {
    const auto keyword = words[0];
    const bool begins = keyword == "OBJE" || keyword == "STPT";
    if (skipping_ && !begins) return;
    skipping_ = false;
    if (keyword == "ELIN") return end_line();
    if (keyword == "OBJE") {
        if (open_) throw Error("a line is not ended by ELIN");
        return;
    }
    if (keyword != "STPT" && keyword != "LIPT" && keyword != "ARCP") return;
    if (words.size() < 3) throw Error(text(keyword, " has no two coordinates"));
    const linework::Point point{metres_in(words[1]), metres_in(words[2])};
    if (keyword == "STPT") return begin_line(point);
    if (!open_) throw Error(text(keyword, " stands in no line"));
    auto& points = transfer_.boundaries.points;
    if (keyword == "ARCP") {
        if (through_) throw Error("an arc has two points ARCP");
        through_ = point;
    } else if (through_) {
        arcs_.add(points, *through_, point);
        through_.reset();
    } else {
        points.push_back(point);
    }
}

void Parser::begin_line(linework::Point point) {
    if (open_) throw Error("a line begins within another");
    open_ = true;
    first_ = transfer_.boundaries.points.size();
    transfer_.boundaries.points.push_back(point);
}

void Parser::end_line() {
    if (!open_) throw Error("ELIN ends no line");
    if (through_) throw Error("an arc has no end");
    if (transfer_.boundaries.points.size() - first_ < 2) throw Error("a line has one point");
    transfer_.boundaries.ends.push_back(transfer_.boundaries.points.size());
    open_ = false;
}

void Parser::drop_line() {
    if (open_) transfer_.boundaries.points.resize(first_);
    open_ = false;
    skipping_ = table_ == Table::boundaries;
    through_.reset();
}

void Parser::finish() {
    if (transfer_.table.empty() && !transfer_.broke_off.empty())
        throw Error(text(transfer_.broke_off, ", and that is no land cover"),
                    Hint{"fetch the file again"});
    if (transfer_.table.empty())
        throw Error(text(file_.label, " holds no land cover: none of its tables is called ",
                         land_cover[0], ", ", land_cover[1], " or ", land_cover[2], "; its model: ",
                         transfer_.model, ", its topics: ", listed(transfer_.topics)),
                    Hint{"order the topic Bodenbedeckung of the official survey too"});
}

}  // namespace civitas::interlis
