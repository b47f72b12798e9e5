#include "civitas/inference/classification_text.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string_view>

namespace civitas::inference {
namespace {

constexpr std::int64_t most_in_table = 12, most_listed = 40, worst_pairs = 10;
constexpr std::size_t line_letters = 100, least_letters = 12;

/// Letters, of which UTF-8 has some in several bytes.
std::size_t letters_in(std::string_view words) {
    return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

/// Names of classes as cells of a table, all of the same width: what the longest takes, as far as a
/// line has room for so many columns beside others.
class NameCells {
public:
    NameCells(const std::vector<std::string>& names, std::size_t columns, std::size_t others)
        : width_(least_letters + gap) {
        for (const std::string& name : names) {
            names_.push_back(printable(name));
            width_ = std::max(width_, letters_in(names_.back()) + gap);
        }
        width_ = std::min(width_, std::max((line_letters - others) / columns, least_letters + gap));
    }
    [[nodiscard]] int width() const { return static_cast<int>(width_); }
    /// Cut where it is too long.
    [[nodiscard]] std::string name(std::int64_t c) const {
        std::string name = names_.at(static_cast<std::size_t>(c));
        if (letters_in(name) + gap <= width_) return name;
        while (letters_in(name) + gap >= width_) name.pop_back();
        return name + '~';
    }
    [[nodiscard]] std::string left(std::int64_t c) const { return name(c) + rest_of(c); }
    [[nodiscard]] std::string right(std::int64_t c) const { return rest_of(c) + name(c); }

private:
    static constexpr std::size_t gap = 2;
    [[nodiscard]] std::string rest_of(std::int64_t c) const {
        return std::string(width_ - letters_in(name(c)), ' ');
    }
    std::vector<std::string> names_;
    std::size_t width_;
};

/// As a field of a CSV file (RFC 4180).
std::string field(const std::string& words) {
    if (words.find_first_of(",\"\r\n") == std::string::npos) return words;
    std::string quoted = "\"";
    for (const char c : words) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

void add_table(std::ostream& out, const Confusion& confusion,
               const std::vector<std::string>& names) {
    const NameCells cells(names, names.size() + 1, 0);
    out << std::left << std::setw(cells.width()) << "real \\ told" << std::right;
    for (std::int64_t c = 0; c < confusion.classes(); ++c) out << cells.right(c);
    out << '\n';
    for (std::int64_t r = 0; r < confusion.classes(); ++r) {
        out << cells.left(r);
        for (std::int64_t c = 0; c < confusion.classes(); ++c)
            out << std::setw(cells.width()) << confusion.at(r, c);
        out << '\n';
    }
}

struct Pair {
    std::int64_t real, told, tiles;
};

void add_worst_pairs(std::ostream& out, const Confusion& confusion,
                     const std::vector<std::string>& names) {
    std::vector<Pair> pairs;
    for (const auto& [classes, tiles] : confusion.counts())
        if (classes.real != classes.told) pairs.push_back({classes.real, classes.told, tiles});
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.tiles > b.tiles; });
    if (std::ssize(pairs) > worst_pairs) pairs.resize(worst_pairs);
    out << "confused most:\n";
    constexpr std::size_t words = 30;  // " told to be " and counts
    const NameCells cells(names, 2, words);
    for (const Pair& p : pairs)
        out << "  " << cells.name(p.real) << " told to be " << cells.name(p.told) << ": " << p.tiles
            << " of " << confusion.of_class(p.real) << '\n';
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
    constexpr std::size_t figures = 8 + 11 + 8;
    const NameCells cells(names, 1, figures);
    out << std::left << std::setw(cells.width()) << "class" << std::right << std::setw(8) << "tiles"
        << std::setw(11) << "precision" << std::setw(8) << "recall";
    for (const std::int64_t c : shown)
        out << '\n'
            << cells.left(c) << std::setw(8) << confusion.of_class(c) << std::setw(11)
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
