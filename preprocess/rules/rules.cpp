#include "rules.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/base/trim.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace civitas::rules {
namespace {

constexpr double narrowest = 0.1, widest = 100;  // metres
constexpr std::size_t most_rules = 1000;
constexpr const char* example =
    "[houses], then layer = houses, class = building; class = road may have width = 6";

constexpr std::array<std::pair<std::string_view, Kind>, 5> kinds{
    {{"building", Kind::building},
     {"road", Kind::road},
     {"other", Kind::other},
     {"ignore", Kind::ignore},
     {"land-cover", Kind::land_cover}}};

/// A line of a file of rules, and where it stands.
struct Place {
    const std::string& file;
    int line = 0;
};

[[noreturn]] void refuse(const Place& place, const std::string& what) {
    throw UsageError(text(place.file, ':', place.line, ": ", what), Hint{example});
}

/// A comment begins a line, or stands behind a blank.
std::string_view without_comment(std::string_view line) {
    const auto said = trimmed(line);
    if (said.starts_with('#') || said.starts_with(';')) return {};
    return trimmed(said.substr(0, std::min(said.find(" #"), said.find("\t#"))));
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Goes back to the last `*` only, so the time is the product of both lengths at most.
bool matches(std::string_view pattern, std::string_view word) {
    std::size_t p = 0, w = 0, star = std::string_view::npos, after = 0;
    while (w < word.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after = w;
        } else if (p < pattern.size() && lower(pattern[p]) == lower(word[w])) {
            ++p;
            ++w;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            w = ++after;
        } else {
            return false;
        }
    }
    return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                       [](char c) { return c == '*'; });
}

std::vector<std::string> list(const Place& place, std::string_view words) {
    std::vector<std::string> all;
    while (true) {
        const auto end = words.find(',');
        const auto word = trimmed(words.substr(0, end));
        if (word.empty()) refuse(place, "a word is missing between commas");
        all.emplace_back(word);
        if (end == std::string_view::npos) return all;
        words.remove_prefix(end + 1);
    }
}

double metres(const Place& place, std::string_view word) {
    const std::string words(word);
    char* end = nullptr;
    const double number = std::strtod(words.c_str(), &end);
    const bool width = !words.empty() && *end == '\0' && number >= narrowest && number <= widest;
    if (!width)
        refuse(place, text('\'', words, "' is no width of ", narrowest, " to ", widest, " metres"));
    return number;
}

Kind kind_of(const Place& place, std::string_view word) {
    const auto* known = std::find_if(kinds.begin(), kinds.end(),
                                     [&](const auto& kind) { return kind.first == word; });
    if (known == kinds.end())
        refuse(place,
               text("class ", word, " is none of building, road, other, ignore, land-cover"));
    return known->second;
}

/// `motorway 10, trunk 9`: the last word of each is metres.
std::vector<std::pair<std::string, double>> widths(const Place& place, std::string_view words) {
    std::vector<std::pair<std::string, double>> all;
    for (const auto& pair : list(place, words)) {
        const auto blank = pair.find_last_of(" \t");
        if (blank == std::string::npos)
            refuse(place, text("widths are VALUE METRES, ..., and '", pair, "' has one word"));
        all.emplace_back(trimmed(std::string_view(pair).substr(0, blank)),
                         metres(place, std::string_view(pair).substr(blank + 1)));
    }
    return all;
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
    for (auto& one : more) all.push_back(std::move(one));
}

/// What a section holds while it is read.
struct Section {
    Rule rule;
    int line = 0;
    std::optional<Kind> kind = {};
};

void take(const Place& place, Section& section, std::string_view name, std::string_view value) {
    auto& rule = section.rule;
    if (name == "layer")
        append(rule.layers, list(place, value));
    else if (name == "field")
        append(rule.fields, list(place, value));
    else if (name == "values")
        append(rule.values, list(place, value));
    else if (name == "width")
        rule.width = metres(place, value);
    else if (name == "width-field")
        rule.width_field = value;
    else if (name == "widths")
        append(rule.widths, widths(place, value));
    else if (name == "class")
        section.kind = kind_of(place, value);
    else
        refuse(place, text("'", name,
                           "' is none of layer, class, field, values, width, "
                           "width-field, widths"));
}

Rule checked(const std::string& file, const Section& section) {
    const Place place{file, section.line};
    auto rule = section.rule;
    const auto named = text("rule [", rule.name, "] ");
    if (rule.layers.empty()) refuse(place, named + "has no layer");
    if (!section.kind) refuse(place, named + "has no class");
    rule.kind = *section.kind;
    const bool by_value = !rule.values.empty() || !rule.widths.empty();
    if (rule.fields.empty() && (by_value || rule.kind == Kind::land_cover))
        refuse(place, named + "has no field");
    if (rule.kind == Kind::land_cover && by_value)
        refuse(place, named + "is of land cover, whose values are known");
    const bool wide = rule.width || !rule.width_field.empty() || !rule.widths.empty();
    if (wide && rule.kind != Kind::road) refuse(place, named + "has a width and is no road");
    return rule;
}

bool is_negative(const std::string& pattern) { return pattern.starts_with('!'); }

}  // namespace

std::vector<Rule> parse_rules(const std::string& words, const std::string& name) {
    std::vector<Rule> rules;
    std::optional<Section> section;
    const auto end_section = [&] {
        if (section) rules.push_back(checked(name, *section));
    };
    std::istringstream in(words);
    std::string line;
    Place place{name};
    while (std::getline(in, line)) {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (++place.line == 1 && line.starts_with(byte_order_mark))
            line.erase(0, byte_order_mark.size());
        const auto said = without_comment(line);
        if (said.empty()) continue;
        if (said.front() == '[') {
            if (said.back() != ']') refuse(place, "the name of a rule stands in [ ]");
            end_section();
            if (rules.size() == most_rules) refuse(place, text("more than ", most_rules, " rules"));
            section.emplace();
            section->line = place.line;
            section->rule.name = trimmed(said.substr(1, said.size() - 2));
            continue;
        }
        const auto equals = said.find('=');
        if (equals == std::string_view::npos) refuse(place, "a line is NAME = VALUE");
        if (!section) refuse(place, "a rule begins with its name in [ ]");
        take(place, *section, trimmed(said.substr(0, equals)), trimmed(said.substr(equals + 1)));
    }
    end_section();
    if (rules.empty()) refuse(place, "there are no rules");
    return rules;
}

bool names_layer(const Rule& rule, std::string_view layer, std::string_view file_stem) {
    return std::any_of(rule.layers.begin(), rule.layers.end(), [&](const std::string& pattern) {
        // A pattern that a file happens to fit does not say that nothing of it is on the ground.
        const bool told = rule.kind != Kind::ignore || pattern.find('*') == std::string::npos;
        const bool by_file = told && matches(pattern, file_stem);
        return matches(pattern, layer) || by_file;
    });
}

bool fits(const Rule& rule, const std::optional<std::string>& value) {
    if (rule.fields.empty()) return true;
    if (!value || value->empty()) return false;
    bool wanted = true;  // where the patterns only say what is not
    for (const auto& pattern : rule.values) {
        if (is_negative(pattern)) {
            if (matches(std::string_view(pattern).substr(1), *value)) return false;
        } else if (matches(pattern, *value)) {
            return true;
        } else {
            wanted = false;
        }
    }
    if (rule.values.empty() && !rule.widths.empty() && !rule.width)
        return width_of(rule, *value).has_value();
    return wanted;
}

std::optional<double> width_of(const Rule& rule, std::string_view value) {
    for (const auto& [pattern, width] : rule.widths)
        if (matches(pattern, value)) return width;
    return rule.width;
}

std::string rules_to_start_from(const std::vector<FoundLayer>& layers) {
    const auto speaks = [](const std::string& name, std::initializer_list<const char*> words) {
        return std::any_of(words.begin(), words.end(),
                           [&](const char* word) { return matches(text('*', word, '*'), name); });
    };
    std::string all;
    for (const auto& [name, fields] : layers) {
        const std::string names = join(fields, ", ");
        const bool house =
            speaks(name, {"building", "gebaeude", "house", "haus", "batiment", "pand", "gebouw"});
        const bool way = speaks(name, {"road", "street", "strass", "way", "wegdeel", "route"});
        all += text("[", name, "]\nlayer = ", name, "\nclass = ",
                    house ? "building"
                    : way ? "road"
                          : "other",
                    "\n");
        if (!fields.empty()) all += text("# field = ", names, "\n# values = ...\n");
    }
    if (layers.empty()) return "";
    return all + "# The first rule that fits a feature decides.";
}

}  // namespace civitas::rules
