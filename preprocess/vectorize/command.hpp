#pragma once
/// The program civitas-vectorize: from its command line to its exit code.
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"
#include "settings.hpp"

namespace civitas::vectorize {

/// Collective: every rank opens the store, the first one works.
[[nodiscard]] Exit vectorize_command(const comm::Communicator& world, int argc,
                                     const char* const* argv);

}  // namespace civitas::vectorize
