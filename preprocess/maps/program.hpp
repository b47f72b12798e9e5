#pragma once
/// civitas-preprocess INPUT: maps become a tile store.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "settings.hpp"

namespace civitas::maps {

/// The whole work, from the sample's survey to the preview. Collective. Throws AgreedError.
void preprocess(const comm::Communicator& ranks, const Settings& settings, Log& log);

}  // namespace civitas::maps
