#include "civitas/conditions/wish.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace civitas::conditions {
namespace {

Cover parse_cover(const std::string& words) {
    std::istringstream in(words);
    Cover cover;
    char comma = 0;
    const bool read =
        in >> cover.building >> comma >> cover.road && comma == ',' && in.peek() == EOF;
    const bool shares =
        read && cover.building >= 0 && cover.road >= 0 && cover.building <= 1 && cover.road <= 1;
    if (!shares)
        throw UsageError(
            text("--cover ", words, ": expected the shares of buildings and of roads, 0 to 1"),
            Hint{"--cover 0.25,0.15"});
    if (cover.building + cover.road > 1)
        throw UsageError(text("--cover ", words, ": buildings and roads together are ",
                              cover.building + cover.road, " of a tile, more than all of it"),
                         Hint{"shares that add up to 1 at most"});
    return cover;
}

std::string without_ending(const std::string& name) { return name.substr(0, name.rfind('.')); }

/// Names of the first sources.
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string all;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        all += text(all.empty() ? "" : ", ", printable(names[i]));
    if (names.size() > most) all += text(" and ", names.size() - most, " more");
    return all;
}

/// By the whole name, or by the name without its ending where one source alone has that.
std::optional<Source> source_named(const std::string& word, const std::vector<std::string>& names) {
    const auto whole = std::find(names.begin(), names.end(), word);
    if (whole != names.end()) return Source{static_cast<std::size_t>(whole - names.begin())};
    const auto is_called = [&](const std::string& name) { return without_ending(name) == word; };
    if (std::count_if(names.begin(), names.end(), is_called) != 1) return std::nullopt;
    return Source{static_cast<std::size_t>(std::find_if(names.begin(), names.end(), is_called) -
                                           names.begin())};
}

Source parse_like(const std::string& word, const std::vector<std::string>& names,
                  const std::string& file) {
    if (const auto source = source_named(word, names)) return *source;
    const auto near = nearest(word, names);
    throw UsageError(text("--like ", word, ": ", file, " has learnt from no source of this name"),
                     Hint{(near ? text("did you mean ", printable(*near), "? ") : "") +
                          "Known are " + listed(names)});
}

[[noreturn]] void refuse(const std::string& option, const Conditions& conditions,
                         const std::string& file) {
    const bool none = conditions.kind() == ConditionKind::none;
    const std::string wanted = option == "--cover" ? "cover" : "source";
    throw UsageError(
        text(option, ": ", file, " was trained with --condition ", to_string(conditions.kind()),
             ", it draws plans ",
             none ? "that nothing can be asked of" : "that are asked for something else"),
        Hint{text(none                ? ""
                  : wanted == "cover" ? "--like with the name of a source, or "
                                      : "--cover BUILDING,ROAD, or ",
                  "a checkpoint of civitas train --condition ", wanted)});
}

std::string share(double value) { return fixed(value, 2); }

double distance(const Cover& a, const Cover& b) {
    return std::max(std::abs(a.building - b.building), std::abs(a.road - b.road));
}

}  // namespace

void check(const WishWords& words) {
    if (!words.cover.empty()) (void)parse_cover(words.cover);
    if (!words.cover.empty() && !words.like.empty())
        throw UsageError("--cover and --like are both given", Hint{"give one of them"});
}

Wish wish_in(const WishWords& words, const Conditions& conditions, const std::string& file) {
    if (!words.cover.empty()) {
        if (conditions.kind() != ConditionKind::cover) refuse("--cover", conditions, file);
        return parse_cover(words.cover);
    }
    if (words.like.empty()) return {};
    if (conditions.kind() != ConditionKind::source) refuse("--like", conditions, file);
    return parse_like(words.like, conditions.sources(), file);
}

std::string warning_of(const Wish& wish, const Conditions& conditions) {
    constexpr double far = 0.05;
    const auto* const cover = std::get_if<Cover>(&wish);
    if (cover == nullptr) return "";
    const auto& sample = conditions.sample();
    const auto near = std::min_element(
        sample.begin(), sample.end(),
        [&](const Cover& a, const Cover& b) { return distance(a, *cover) < distance(b, *cover); });
    if (distance(*near, *cover) <= far) return "";
    const auto range = [&](double Cover::*of) {
        const auto [least, most] =
            std::minmax_element(sample.begin(), sample.end(),
                                [&](const Cover& a, const Cover& b) { return a.*of < b.*of; });
        return text(share((*least).*of), " to ", share((*most).*of));
    };
    return text("the wish, ", share(cover->building), " of buildings and ", share(cover->road),
                " of roads, is far from what was learnt: tiles had ", range(&Cover::building),
                " and ", range(&Cover::road), ", the nearest of a sample ", share(near->building),
                " and ", share(near->road));
}

std::string to_text(const Wish& wish, const Conditions& conditions) {
    if (const auto* const cover = std::get_if<Cover>(&wish))
        return text("cover ", cover->building, ',', cover->road);
    if (const auto* const source = std::get_if<Source>(&wish))
        return "like " + conditions.sources().at(static_cast<std::size_t>(*source));
    return "none";
}

}  // namespace civitas::conditions
