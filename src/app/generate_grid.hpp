#pragma once
/// `civitas generate --grid`: one plan of several tiles.
#include "civitas/base/log.hpp"
#include "civitas/cli/options.hpp"
#include "civitas/conditions/wish.hpp"
#include "civitas/inference/grid_plan.hpp"
#include "civitas/inference/plan_record.hpp"
#include "civitas/io/files.hpp"

#include <string>

namespace civitas::app {

/// As it is asked for.
struct GridChoice {
    std::string words = {};  ///< of --grid; empty: plans apart from each other
    std::int64_t candidates = 512;
};

void add_grid_options(cli::Options& options, GridChoice& choice);
/// Throws UsageError for a --grid that is none, and one beside --count; a --candidates out of
/// range, and one without --grid.
void check_grid_options(const cli::Options& options, const GridChoice& choice);

struct GridRequest {
    GridChoice choice;
    Seed seed{};
    conditions::Wish wish = {};
    bool post_process = true;
    inference::Anchor anchor = {};  ///< of the whole plan
};
struct GridOutput {
    std::string store;
    std::string sheet;  ///< empty: none
    io::Replace replace{};
};

/// Draws the plan and writes its tiles, row by row from the north-west; the sheet is a map of it.
/// Collective; throws AgreedError, UsageError.
void draw_grid_into_store(const comm::Communicator& world, const inference::TrainedNet& generator,
                          const GridRequest& request, const GridOutput& output,
                          data::StoreHeader header, Log& log);

}  // namespace civitas::app
