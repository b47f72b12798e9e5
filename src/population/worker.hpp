#pragma once
/// A rank of a population at its work.
#include "rounds.hpp"

#include "civitas/population/population.hpp"

#include <optional>
#include <vector>

namespace civitas::population {

/// One rank of a member, at work on it, or one that is left over.
class Worker {
public:
    /// Collective over the job.
    Worker(const comm::Communicator& job, const Round& round, const std::vector<Member>& members,
           const Work& work);

    /// The first of the ranks of a member.
    [[nodiscard]] bool speaks() const { return member_ != nullptr && ranks_.is_root(); }

    /// Returns how the member ended, of which the first of its ranks knows the steps. An error is
    /// told at once.
    [[nodiscard]] Ending train();

    /// Adds figures to the ending of a member that is done, but where plans cannot be compared,
    /// which is told.
    [[nodiscard]] Ending evaluate(const std::vector<Ending>& endings);

private:
    std::optional<std::size_t> group_;
    comm::Communicator ranks_;
    std::optional<std::size_t> place_;  ///< of the member among all
    const Member* member_;              ///< null: left over
    const Work& work_;
    Log log_;
};

}  // namespace civitas::population
