#pragma once
/// Which strategy to take on these resources. Pure.
#include "civitas/compare/results.hpp"

#include <string>
#include <vector>

namespace civitas::compare {

struct Recommendation {
    std::string strategy;              ///< its name; empty where none was measured or predicted
    std::string words;                 ///< a sentence: what to take, and where
    std::vector<std::string> reasons;  ///< sentences: why, and what else there is
};

/// Takes the fastest of those that train one model as one process would; of those that are too
/// close to tell apart the simplest, which is the first. Updates that do not wait, and populations,
/// learn otherwise: they are named beside it where they are faster.
[[nodiscard]] Recommendation recommend(const Comparison& comparison);

/// What a job has, in the words of its kind: CPUs only, one GPU, several GPUs, several nodes.
[[nodiscard]] std::string resources_in_words(const Subject& subject);

}  // namespace civitas::compare
