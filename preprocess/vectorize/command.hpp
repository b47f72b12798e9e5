#pragma once
/// The program civitas-vectorize: from its command line to its exit code.
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"
#include "preprocess/vectorize/plan.hpp"

#include <cstdint>
#include <string>

namespace civitas::vectorize {

struct Settings {
    std::string store, output;
    std::string tiles = "all";
    bool overwrite = false;  ///< outputs that exist may be replaced
    std::string config;      ///< the file that options were read from; empty: none
    double minimum_area = Tracing{}.minimum_area;  ///< square metres
    double tolerance = Tracing{}.tolerance;        ///< pixels
};

/// "all", or numbers and ranges: "0-9,12". Throws UsageError, also for a tile the store lacks.
[[nodiscard]] std::vector<std::int64_t> selected_tiles(const std::string& words,
                                                       std::int64_t tiles_in_store);

/// Collective: every rank opens the store, the first one works.
[[nodiscard]] comm::Exit vectorize_command(const comm::Communicator& world, int argc,
                                           const char* const* argv);

}  // namespace civitas::vectorize
