#pragma once
/// civitas-preprocess: maps, or images, become a tile store.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"
#include "preprocess/maps/settings.hpp"

namespace civitas::images {

/// All that is to be done for images. Collective. Throws AgreedError. Precondition:
/// settings.reads_images().
void preprocess_images(const comm::Communicator& ranks, const maps::Settings& settings, Log& log);

/// The program: options, then what they ask for.
[[nodiscard]] Exit preprocess_command(const comm::Communicator& ranks, int argc, char** argv);

}  // namespace civitas::images
