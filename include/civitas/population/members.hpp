#pragma once
/// Who is trained in a population, what differs between its members, and by which ranks. Pure.
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace civitas::population {

/// A population as it is asked for.
struct Request {
    std::filesystem::path run;  ///< folder of the population
    std::int64_t members = 1;
    std::vector<std::string> vary = {};  ///< `NAME=V1,V2`, a value for each member
    std::uint64_t seed = 1;              ///< of the first member, where nothing else varies
};

/// An option of `civitas train` and its value, as they are written.
struct Setting {
    std::string option;
    std::string value;
    friend bool operator==(const Setting&, const Setting&) = default;
};

/// A model of a population.
struct Member {
    int number = 1;  ///< from 1
    std::filesystem::path run;
    std::vector<Setting> settings;  ///< in which it differs from the others
};

/// `member 2`.
[[nodiscard]] std::string name_of(const Member& member);

/// The options that may vary.
[[nodiscard]] const std::vector<std::string>& varying_options();

/// The members of a population. Throws UsageError for an option that may not vary or is named
/// twice, and where there is not a value for each member.
[[nodiscard]] std::vector<Member> members_of(const Request& request);

/// Which ranks of a job train which member: equal groups of neighbours.
class Groups {
public:
    /// Throws UsageError where the ranks are no multiple of the members.
    Groups(int ranks, std::int64_t members);
    [[nodiscard]] int ranks_each() const noexcept { return ranks_each_; }
    /// The place of a rank's member among the members, from 0.
    [[nodiscard]] int group_of(Rank rank) const { return index(rank) / ranks_each_; }
    [[nodiscard]] Rank first_rank(int group) const { return Rank{group * ranks_each_}; }

private:
    int ranks_each_;
};

}  // namespace civitas::population
