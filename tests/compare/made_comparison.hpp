#pragma once
/// Comparisons that were never measured.
#include "civitas/compare/results.hpp"

#include <string>

namespace civitas::test {

using compare::Comparison, compare::Family, compare::Outcome;

/// One round of so many tiles a second, by ranks of a thread each; `bytes` of a rank.
inline Outcome measured(const std::string& name, Family family, int ranks, double speed,
                        std::int64_t bytes = 100'000'000) {
    compare::Round round;
    round.seconds = 32 / speed;
    round.tiles_per_second = speed;
    round.threads = ranks == 1 ? 2 : 1;
    round.losses = {{"d_loss", 1.25}, {"g_loss", 0.75}};
    round.bytes = {{"all", bytes}, {"parameters", bytes / 2}, {"moments", bytes / 2}};
    return {.strategy = {.name = name,
                         .family = family,
                         .words = name + " in words",
                         .ranks = ranks,
                         .models = family == Family::population ? ranks : 1},
            .rounds = {round},
            .options = " --as " + name,
            .command = "civitas train as " + name};
}

/// Two ranks on two cores.
inline Comparison of_two_ranks(std::vector<Outcome> outcomes) {
    return {.subject = {.workload = "dcgan-64",
                        .precision = "fp32",
                        .batch = 32,
                        .micro_batch = 8,
                        .ranks = 2,
                        .cores = 2,
                        .predicted_by = "times",
                        .steps = 10,
                        .warm_up = 2,
                        .rounds = 1},
            .outcomes = std::move(outcomes)};
}

}  // namespace civitas::test
