#include "civitas/inference/classification_text.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>

namespace civitas::inference {
namespace {

constexpr std::int64_t most_in_table = 12, most_listed = 40, worst_pairs = 10;
constexpr std::size_t name_letters = 12;

std::string short_name(const std::vector<std::string>& names, std::int64_t c) {
    std::string name = printable(names.at(static_cast<std::size_t>(c)));
    if (name.size() <= name_letters) return name;
    return printable(name.substr(0, name_letters - 1)) + "~";
}

/// As a field of a CSV file (RFC 4180).
std::string field(const std::string& words) {
    if (words.find_first_of(",\"\r\n") == std::string::npos) return words;
    std::string quoted = "\"";
    for (const char c : words) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

void add_table(std::ostream& out, const Confusion& confusion,
               const std::vector<std::string>& names) {
    constexpr int width = name_letters + 2;
    out << std::left << std::setw(width) << "real \\ told" << std::right;
    for (std::int64_t c = 0; c < confusion.classes(); ++c)
        out << std::setw(width) << short_name(names, c);
    out << '\n';
    for (std::int64_t r = 0; r < confusion.classes(); ++r) {
        out << std::left << std::setw(width) << short_name(names, r) << std::right;
        for (std::int64_t c = 0; c < confusion.classes(); ++c)
            out << std::setw(width) << confusion.at(r, c);
        out << '\n';
    }
}

struct Pair {
    std::int64_t real, told, tiles;
};

void add_worst_pairs(std::ostream& out, const Confusion& confusion,
                     const std::vector<std::string>& names) {
    std::vector<Pair> pairs;
    for (std::int64_t r = 0; r < confusion.classes(); ++r)
        for (std::int64_t c = 0; c < confusion.classes(); ++c)
            if (r != c && confusion.at(r, c) > 0) pairs.push_back({r, c, confusion.at(r, c)});
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.tiles > b.tiles; });
    if (std::ssize(pairs) > worst_pairs) pairs.resize(worst_pairs);
    out << "confused most:\n";
    for (const Pair& p : pairs)
        out << "  " << short_name(names, p.real) << " told to be " << short_name(names, p.told)
            << ": " << p.tiles << " of " << confusion.of_class(p.real) << '\n';
}

std::string share(const std::optional<double>& value) { return value ? fixed(*value, 3) : "-"; }

void add_classes(std::ostream& out, const Confusion& confusion,
                 const std::vector<std::string>& names) {
    std::vector<std::int64_t> shown;
    for (std::int64_t c = 0; c < confusion.classes(); ++c) shown.push_back(c);
    if (confusion.classes() > most_listed) {
        std::stable_sort(shown.begin(), shown.end(), [&](std::int64_t a, std::int64_t b) {
            return confusion.recall(a).value_or(1) < confusion.recall(b).value_or(1);
        });
        shown.resize(most_listed);
        out << "the " << most_listed << " classes with the least recall of " << confusion.classes()
            << ":\n";
    }
    out << std::left << std::setw(name_letters + 2) << "class" << std::right << std::setw(8)
        << "tiles" << std::setw(11) << "precision" << std::setw(8) << "recall";
    for (const std::int64_t c : shown)
        out << '\n'
            << std::left << std::setw(name_letters + 2) << short_name(names, c) << std::right
            << std::setw(8) << confusion.of_class(c) << std::setw(11)
            << share(confusion.precision(c)) << std::setw(8) << share(confusion.recall(c));
}

}  // namespace

std::string report_of(const std::vector<Prediction>& tiles, const std::vector<std::string>& names) {
    std::vector<steps::Score> scores;
    for (const Prediction& p : tiles) scores.push_back(p.score);
    const Confusion confusion(std::ssize(names), tiles);
    std::ostringstream out;
    out << report::in_words(steps::means_of(scores)) << '\n';
    if (confusion.classes() <= most_in_table)
        add_table(out, confusion, names);
    else
        add_worst_pairs(out, confusion, names);
    add_classes(out, confusion, names);
    return out.str();
}

std::string csv_of(const Predictions& predictions, const data::TileStore& store,
                   const std::vector<std::string>& names) {
    const auto name_of = [&](std::int64_t c) {
        return c < 0 ? std::string() : field(names.at(static_cast<std::size_t>(c)));
    };
    std::ostringstream out;
    out << "tile,easting,northing,label,told,probability";
    if (!predictions.logits.empty())
        for (const std::string& name : names) out << ',' << field("logit " + name);
    out << '\n';
    auto logit = predictions.logits.begin();
    for (const Prediction& p : predictions.tiles) {
        const auto& record = store.records().at(static_cast<std::size_t>(index(p.tile)));
        out << index(p.tile) << ',' << fixed(record.easting, 3) << ',' << fixed(record.northing, 3)
            << ',' << name_of(p.label) << ',' << name_of(p.told) << ',' << fixed(p.probability, 6);
        out << std::setprecision(std::numeric_limits<float>::max_digits10);
        if (!predictions.logits.empty())
            for (std::size_t k = 0; k < names.size(); ++k) out << ',' << *logit++;
        out << '\n';
    }
    return out.str();
}

std::string csv_of(const Confusion& confusion, const std::vector<std::string>& names) {
    std::ostringstream out;
    out << "real";
    for (const std::string& name : names) out << ',' << field(name);
    for (std::int64_t r = 0; r < confusion.classes(); ++r) {
        out << '\n' << field(names.at(static_cast<std::size_t>(r)));
        for (std::int64_t c = 0; c < confusion.classes(); ++c) out << ',' << confusion.at(r, c);
    }
    out << '\n';
    return out.str();
}

}  // namespace civitas::inference
