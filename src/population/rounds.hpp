#pragma once
/// Which members are trained at the same time, and by which ranks.
#include "civitas/comm/communicator.hpp"
#include "civitas/population/members.hpp"
#include "civitas/population/table.hpp"

#include <string>
#include <vector>

namespace civitas::population {

/// Members that are at work at the same time.
struct Round {
    Groups groups;
    std::vector<std::size_t> members;  ///< of each group, the place among all
};

/// All members, by equal groups. Collective; throws AgreedError where the ranks are no multiple.
[[nodiscard]] Round first_round(const comm::Communicator& job, std::size_t members);

/// Who goes on by which ranks, after somebody has failed and others have stopped for that; no
/// members where nobody does. The ranks of a member divide the micro-batches of a step.
[[nodiscard]] Round next_round(int ranks, const Round& before, const std::vector<Ending>& endings,
                               std::int64_t micro_batches);

/// Members that are done, by equal groups.
[[nodiscard]] Round round_of_done(int ranks, const std::vector<Ending>& endings);

/// `member 1 goes on with 2 ranks, member 3 with 1 rank; 1 rank is left over`, of so many ranks.
[[nodiscard]] std::string in_words(int ranks, const Round& round,
                                   const std::vector<Member>& members, std::int64_t micro_batches);

}  // namespace civitas::population
