#pragma once
/// What was done, for people and for the store.
#include "civitas/base/log.hpp"
#include "geometry.hpp"
#include "plan.hpp"
#include "selection.hpp"

namespace civitas::maps {

/// Sums over all ranks, the same on each.
struct Totals {
    Tally left_out;
    /// Square metres by LandClass, over all tiles cut.
    std::array<double, 3> polygon_area{}, burned_area{};
    std::int64_t tiles = 0, test_tiles = 0;
    Cover most;
    std::int64_t cut_by_edge = 0;
    std::string edge;  ///< what it is
};

/// Fill in both areas from what each rank burned. Collective.
void sum_areas(const comm::Communicator& ranks, const Areas& mine, double pixel_metres,
               Totals& totals);

/// Burned against polygon area, and a warning where buildings differ by more than 5 %: lines.
[[nodiscard]] std::vector<std::string> areas_in_words(const Totals& totals);
/// A line for each reason, below a title; nothing where nothing was.
void report_left_out(const Tally& left_out, Log& log);

/// Throws Error when no tile is left, with the covers that were met.
void require_tiles(const Totals& totals, const Settings& settings);

[[nodiscard]] data::StoreHeader make_header(const Settings& settings, const Plan& plan,
                                            const Totals& totals, float variance_threshold);

}  // namespace civitas::maps
