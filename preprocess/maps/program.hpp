#pragma once
/// civitas-preprocess: maps become a tile store.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"
#include "settings.hpp"

namespace civitas::maps {

/// The whole work, from the sample's survey to the preview. Collective. Throws AgreedError.
void preprocess(const comm::Communicator& ranks, const Settings& settings, Log& log);

/// The program: options, then preprocess.
[[nodiscard]] Exit preprocess_command(const comm::Communicator& ranks, int argc, char** argv);

}  // namespace civitas::maps
