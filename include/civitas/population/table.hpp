#pragma once
/// How the members of a population ended, and which is the best.
#include "civitas/base/exit.hpp"
#include "civitas/population/members.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace civitas::population {

/// What `civitas evaluate` tells of a member's plans.
struct Figures {
    double building = 0, road = 0;  ///< cover
    double distance = 0;            ///< sliced Wasserstein distance to the test tiles x 1000
    double floor = 0;               ///< that of training tiles
    double difference = 0;          ///< between two plans
};

/// How a member ended.
struct Ending {
    Exit exit = Exit::done;
    std::string cause = {};  ///< of an error
    std::int64_t steps = 0;
    std::optional<Figures> figures = {};  ///< none for one that failed
    [[nodiscard]] bool failed() const { return exit != Exit::done && exit != Exit::stopped; }
};

/// The place of the member with the smallest distance, the first of equals; nothing where none has
/// figures.
[[nodiscard]] std::optional<std::size_t> best_of(const std::vector<Ending>& endings);

/// A line for each member: what varies, steps, end, figures. `best`: its place.
[[nodiscard]] std::string table_of(const std::vector<Member>& members,
                                   const std::vector<Ending>& endings);

/// The code of a job whose members have ended: of the first error, else `stopped` where one was.
[[nodiscard]] Exit exit_of(const std::vector<Ending>& endings);

}  // namespace civitas::population
