#pragma once
/// The parts of `civitas inspect` that have files of their own.
#include "civitas/comm/communicator.hpp"

#include <filesystem>
#include <iosfwd>

namespace civitas::app {

/// What a store holds; reads every tile once, so that it throws Error unless all are whole.
/// For one process.
void show_store(const comm::Communicator& alone, const std::filesystem::path& file,
                std::ostream& out);

}  // namespace civitas::app
