#pragma once
/// Who is trained in a population, what differs between its members, and by which ranks. Pure.
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
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

/// Which ranks of a job train which member: groups of neighbours, behind which ranks may be left
/// over.
class Groups {
public:
    /// Equal groups. Throws UsageError where the ranks are no multiple of the members.
    Groups(int ranks, std::int64_t members);
    /// Groups as large and as equal as they can be where the ranks of each divide `parts`, the
    /// larger ones first. Precondition: a rank for each member.
    [[nodiscard]] static Groups dividing(std::int64_t parts, int ranks, std::size_t members);

    [[nodiscard]] std::size_t size() const noexcept { return ranks_.size(); }
    [[nodiscard]] int ranks_of(std::size_t group) const { return ranks_.at(group); }
    [[nodiscard]] Rank first_rank(std::size_t group) const;
    /// The group of a rank, from 0; none where it is left over.
    [[nodiscard]] std::optional<std::size_t> group_of(Rank rank) const;
    /// Ranks that are in some group.
    [[nodiscard]] int ranks() const { return index(first_rank(size())); }

private:
    explicit Groups(std::vector<int> ranks) : ranks_(std::move(ranks)) {}
    std::vector<int> ranks_;  ///< of each group
};

}  // namespace civitas::population
