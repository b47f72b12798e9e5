#pragma once
/// How the members of a population ended, and which is the best.
#include "civitas/base/exit.hpp"
#include "civitas/base/task_kind.hpp"
#include "civitas/population/members.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace civitas::population {

/// What a member is compared by, in the order of a comparison's columns; those without are 0.
using Figures = std::array<double, 5>;

struct Column {
    std::string name;
    int digits = 1;  ///< after the point
};
struct Comparison {
    std::vector<Column> columns;
    std::size_t best = 0;  ///< the column whose smallest value is the best
    std::string legend;    ///< a line below the table
};
/// Of a GAN what `civitas evaluate` tells of its plans: cover by buildings and roads, sliced
/// Wasserstein distance to the test tiles x 1000, that of training tiles, difference between two
/// plans. Of a classifier loss, top-1 and top-5 on the test tiles after its last step.
[[nodiscard]] Comparison comparison_of(TaskKind task);

/// How a member ended.
struct Ending {
    Exit exit = Exit::done;
    std::string cause = {};  ///< of an error
    std::int64_t steps = 0;
    std::optional<Figures> figures = {};  ///< none for one that failed
    [[nodiscard]] bool failed() const { return exit != Exit::done && exit != Exit::stopped; }
};

/// The place of the best member, the first of equals; nothing where none has figures.
[[nodiscard]] std::optional<std::size_t> best_of(const Comparison& comparison,
                                                 const std::vector<Ending>& endings);

/// A line for each member: what varies, steps, end, figures. `best`: its place.
[[nodiscard]] std::string table_of(const Comparison& comparison, const std::vector<Member>& members,
                                   const std::vector<Ending>& endings);

/// The code of a job whose members have ended: `stopped` where one was, which can go on, else that
/// of the first error.
[[nodiscard]] Exit exit_of(const std::vector<Ending>& endings);

}  // namespace civitas::population
