/// Which strategies and placements a user asks for.
#include "civitas/compare/strategies.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/net/partition.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

namespace civitas::compare {
namespace {

std::vector<std::string> parts_of(const std::string& words, char between) {
    std::vector<std::string> parts;
    std::istringstream in(words);
    for (std::string part; std::getline(in, part, between);) parts.push_back(part);
    if (words.empty() || words.back() == between) parts.emplace_back();
    return parts;
}

std::int64_t blocks_in(const std::string& word, const std::string& all) {
    constexpr std::int64_t most = 100'000;
    std::int64_t blocks = 0;
    const char* const end = word.data() + word.size();
    const auto [read, error] = std::from_chars(word.data(), end, blocks);
    if (error != std::errc{} || read != end || blocks < 1 || blocks > most)
        throw UsageError(
            text("--placements ", all, ": '", word, "' is no number of blocks from 1 to ", most),
            Hint{"--placements 3,2/2,3: the blocks of each stage, cuts apart by /"});
    return blocks;
}

std::string kind_of(const std::string& name) { return name.substr(0, name.find(':')); }

}  // namespace

std::vector<Placement> parse_placements(const std::string& words) {
    std::vector<Placement> all;
    for (const std::string& part : parts_of(words, '/')) {
        Placement& stages = all.emplace_back();
        for (const std::string& word : parts_of(part, ','))
            stages.push_back(blocks_in(word, words));
        if (stages.size() < 2)
            throw UsageError(
                text("--placements ", words, ": ", part, " is one stage, which no cut ends"),
                Hint{"two stages or more: 3,2"});
        if (std::count(all.begin(), all.end(), stages) > 1)
            throw UsageError(text("--placements ", words, " has ", part, " twice"),
                             Hint{"each placement once"});
    }
    return all;
}

std::vector<Placement> usual_placements(const planner::Workload& workload, int stages) {
    std::vector<Placement> all{{}};
    const auto blocks = std::ssize(net::blocks_of(workload[schedule::NetId{0}].description, 1));
    if (stages < 2 || blocks <= stages) return all;
    Placement first(static_cast<std::size_t>(stages), 1);
    Placement last = first;
    first.front() = last.back() = blocks - stages + 1;
    all.push_back(first);
    all.push_back(last);
    return all;
}

std::vector<Considered> named(const std::vector<Considered>& all, const std::string& list) {
    if (list.empty()) return all;
    std::set<std::string> asked;
    for (const std::string& name : parts_of(list, ',')) asked.insert(name);
    std::set<std::string> known;
    for (const Considered& c : all) known.insert({c.strategy.name, kind_of(c.strategy.name)});
    for (const std::string& name : asked) {
        if (known.contains(name)) continue;
        const auto near = nearest(name, {known.begin(), known.end()});
        throw UsageError(
            text("--strategies ", list, ": there is no '", name, "'"),
            Hint{near ? text("did you mean ", *near, '?') : "one of " + join(known, ", ")});
    }
    std::vector<Considered> chosen;
    for (const Considered& c : all)
        if (asked.contains(c.strategy.name) || asked.contains(kind_of(c.strategy.name)))
            chosen.push_back(c);
    return chosen;
}

}  // namespace civitas::compare
