#include "civitas/population/members.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace civitas::population {
namespace {

/// `generator-lr=1e-4,2e-4`, taken apart.
struct Variation {
    std::string option;
    std::vector<std::string> values;
};

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    std::istringstream in(list + ',');
    for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
    return parts;
}

void check_option(const std::string& words, const std::string& option) {
    const auto& known = varying_options();
    if (std::find(known.begin(), known.end(), option) != known.end()) return;
    const auto near = nearest(option, known);
    throw UsageError(
        text("--vary ", words, ": ", option, " is no option that members may differ in"),
        Hint{near ? text("did you mean ", *near, '?') : "one of " + join(known, ", ")});
}

Variation parse_variation(const std::string& words, std::int64_t members) {
    const auto equals = words.find('=');
    if (equals == std::string::npos || equals == 0)
        throw UsageError(text("--vary ", words, ": expected NAME=V1,V2,..."),
                         Hint{"--vary generator-lr=1e-4,2e-4"});
    Variation found{words.substr(0, equals), parts_of(words.substr(equals + 1))};
    check_option(words, found.option);
    if (std::ssize(found.values) != members)
        throw UsageError(
            text("--vary ", words, " has ", found.values.size(),
                 found.values.size() == 1 ? " value" : " values", " for ",
                 counted(members, "member", "members")),
            Hint{text("a value for each member, or --population ", found.values.size())});
    if (const auto empty = std::find(found.values.begin(), found.values.end(), "");
        empty != found.values.end())
        throw UsageError(text("--vary ", words, ": the value of member ",
                              1 + (empty - found.values.begin()), " is empty"),
                         Hint{"values with a comma between them, and no blanks"});
    return found;
}

/// Without a word about it the seeds differ.
Variation seeds(std::uint64_t first, std::int64_t members) {
    Variation found{"seed", {}};
    for (std::int64_t i = 0; i < members; ++i)
        found.values.push_back(text(first + static_cast<std::uint64_t>(i)));
    return found;
}

std::vector<Variation> variations_of(const Request& request) {
    if (request.vary.empty()) return {seeds(request.seed, request.members)};
    std::vector<Variation> all;
    for (const std::string& words : request.vary) {
        Variation found = parse_variation(words, request.members);
        for (const Variation& other : all)
            if (other.option == found.option)
                throw UsageError(text("--vary ", words, ": ", found.option, " varies already"),
                                 Hint{"one --vary for each option"});
        all.push_back(std::move(found));
    }
    return all;
}

}  // namespace

std::string name_of(const Member& member) { return text("member ", member.number); }

const std::vector<std::string>& varying_options() {
    static const std::vector<std::string> options{"seed",
                                                  "loss",
                                                  "generator-lr",
                                                  "discriminator-lr",
                                                  "classifier-lr",
                                                  "beta1",
                                                  "beta2",
                                                  "instance-noise",
                                                  "translate",
                                                  "label-smoothing",
                                                  "condition-weight",
                                                  "ema",
                                                  "optimizer",
                                                  "momentum",
                                                  "weight-decay",
                                                  "lr-schedule",
                                                  "warmup-steps",
                                                  "lr-gamma"};
    return options;
}

std::vector<Member> members_of(const Request& request) {
    const auto variations = variations_of(request);
    std::vector<Member> members;
    for (std::int64_t i = 0; i < request.members; ++i) {
        Member& member = members.emplace_back();
        member.number = static_cast<int>(i + 1);
        member.run = request.run / text(member.number);
        for (const Variation& variation : variations)
            member.settings.push_back(
                {variation.option, variation.values.at(static_cast<std::size_t>(i))});
    }
    return members;
}

Groups::Groups(int ranks, std::int64_t members) {
    if (members > ranks || ranks % members != 0) {
        const std::int64_t fewer = ranks / members * members;
        const std::string other = fewer > 0 ? text("mpirun -n ", fewer, " or ", fewer + members)
                                            : text("mpirun -n ", members);
        throw UsageError(
            text("--population ", members, ": the job has ", counted(ranks, "rank", "ranks"),
                 ", which is no multiple of it: every member has as many"),
            Hint{other});
    }
    ranks_.assign(static_cast<std::size_t>(members), static_cast<int>(ranks / members));
}

Groups Groups::dividing(std::int64_t parts, int ranks, std::size_t members) {
    std::vector<int> sizes(members, 1);
    int spare = ranks - static_cast<int>(members);
    ensure(spare >= 0, "each member has a rank");
    // The smallest group grows to the next divisor, the first of equals, as long as one can.
    for (bool grown = true; grown;) {
        std::vector<std::size_t> order(members);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](std::size_t group) { return sizes[group]; });
        grown = false;
        for (const std::size_t group : order) {
            int next = sizes[group] + 1;
            while (next - sizes[group] <= spare && parts % next != 0) ++next;
            if (next - sizes[group] > spare) continue;
            spare -= next - sizes[group];
            sizes[group] = next;
            grown = true;
            break;
        }
    }
    return Groups(std::move(sizes));
}

Rank Groups::first_rank(std::size_t group) const {
    return Rank{
        std::accumulate(ranks_.begin(), ranks_.begin() + static_cast<std::ptrdiff_t>(group), 0)};
}

std::optional<std::size_t> Groups::group_of(Rank rank) const {
    for (std::size_t group = 0; group < size(); ++group)
        if (index(rank) < index(first_rank(group)) + ranks_[group]) return group;
    return std::nullopt;
}

}  // namespace civitas::population
