#pragma once
/// A comparison as a table, as JSON and as a page. Pure.
#include "civitas/compare/results.hpp"

#include <string>

namespace civitas::compare {

/// A line for each strategy, those that do not fit with the reason, then what to take and why.
[[nodiscard]] std::string to_text(const Comparison& comparison);
/// Where no strategy could be compared: one of the reasons, with its hint; else nothing.
[[nodiscard]] std::string why_empty(const Comparison& comparison);
/// One object: the subject, all strategies with all figures of every round, the recommendation.
[[nodiscard]] std::string to_json(const Comparison& comparison);
/// One HTML page of its own, with charts.
[[nodiscard]] std::string to_page(const Comparison& comparison);

/// `32 tiles in micro-batches of 8, fp32; 2 ranks, only CPUs ...; 10 steps, ...`.
[[nodiscard]] std::string subject_in_words(const Subject& subject);
/// How figures came about: what counts, what they are of.
[[nodiscard]] std::string method_in_words(const Subject& subject);

}  // namespace civitas::compare
