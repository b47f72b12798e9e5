#pragma once
/// A comparison before anything is trained.
#include "civitas/compare/compare.hpp"

namespace civitas::compare {

/// The strategies that are asked for, on so many ranks. Throws UsageError.
[[nodiscard]] std::vector<Considered> considered_for(const Request& request, int ranks);
/// With the command that trains as each does.
[[nodiscard]] std::vector<Outcome> outcomes_of(const Request& request,
                                               const std::vector<Considered>& considered);
/// Fills in why strategies do not fit, by the planner.
void refuse_what_does_not_fit(const Request& request, const PaperJob& job,
                              std::vector<Outcome>& outcomes);

/// What a strategy should take on a machine, by estimated times; none where that is not known.
[[nodiscard]] std::optional<Predicted> predicted_by_estimate(const Request& request,
                                                             const PaperJob& job,
                                                             const Strategy& strategy);
/// The same by times of layers, the text of a run's profile.json.
[[nodiscard]] std::optional<Predicted> predicted_by_profile(const Request& request,
                                                            const PaperJob& job,
                                                            const Strategy& strategy,
                                                            const std::string& profile);

[[nodiscard]] Subject subject_of(const Request& request, const PaperJob& job);

}  // namespace civitas::compare
