#pragma once
/// The charts of a comparison's page; of strategies that have the figure.
#include "civitas/compare/results.hpp"
#include "civitas/report/bars.hpp"

namespace civitas::compare {

/// Tiles a second; as measured, with the range of rounds and beside it what was predicted.
/// `best`: the name of what stands out.
[[nodiscard]] report::BarChart speed_chart(const Comparison& comparison, const std::string& best);
/// Shares of a step: computing, communication, waiting; in per cent.
[[nodiscard]] report::BarChart shares_chart(const Comparison& comparison);
/// Megabytes of a rank, by what it holds them for.
[[nodiscard]] report::BarChart memory_chart(const Comparison& comparison);
/// Megabytes a step through every cut of a pipe, as measured, else as predicted.
[[nodiscard]] report::BarChart traffic_chart(const Comparison& comparison);
/// Milliseconds a step that the receiver of a cut waited; measured alone.
[[nodiscard]] report::BarChart waits_chart(const Comparison& comparison);

}  // namespace civitas::compare
