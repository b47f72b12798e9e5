#include "rounds.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace civitas::population {
namespace {

/// The members of a round that end so.
std::vector<std::size_t> those_of(const Round& round, const std::vector<Ending>& endings,
                                  const std::function<bool(const Ending&)>& wanted) {
    std::vector<std::size_t> found;
    std::ranges::copy_if(round.members, std::back_inserter(found),
                         [&](std::size_t member) { return wanted(endings.at(member)); });
    return found;
}

}  // namespace

Round first_round(const comm::Communicator& job, std::size_t members) {
    std::vector<std::size_t> all(members);
    std::iota(all.begin(), all.end(), 0);
    return {
        comm::agree(job, [&] { return Groups(job.size(), static_cast<std::int64_t>(members)); }),
        all};
}

Round next_round(int ranks, const Round& before, const std::vector<Ending>& endings,
                 std::int64_t micro_batches) {
    auto left = those_of(before, endings, [](const Ending& e) { return e.exit == Exit::stopped; });
    if (those_of(before, endings, [](const Ending& e) { return e.failed(); }).empty()) left.clear();
    return {Groups::dividing(micro_batches, ranks, left.size()), left};
}

Round round_of_done(int ranks, const std::vector<Ending>& endings) {
    std::vector<std::size_t> done;
    for (std::size_t i = 0; i < endings.size(); ++i)
        if (endings[i].exit == Exit::done) done.push_back(i);
    const int members = std::max(1, static_cast<int>(done.size()));
    return {Groups::dividing(ranks / members, ranks, done.size()), done};
}

std::string in_words(int ranks, const Round& round, const std::vector<Member>& members,
                     std::int64_t micro_batches) {
    std::string words = "the ranks of who has failed join the others: ";
    for (std::size_t group = 0; group < round.members.size(); ++group)
        words += text(group == 0 ? "" : ", ", name_of(members.at(round.members[group])),
                      group == 0 ? " goes on with " : " with ",
                      counted(round.groups.ranks_of(group), "rank", "ranks"));
    if (const int left = ranks - round.groups.ranks(); left > 0)
        words += text("; ", counted(left, "rank is", "ranks are"), " left over, since the ",
                      micro_batches, " micro-batches of a step are shared evenly");
    return words;
}

}  // namespace civitas::population
