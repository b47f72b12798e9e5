#pragma once
/// MPI's return codes as exceptions: `check(MPI_Barrier(comm), "MPI_Barrier")`.
#include <source_location>

namespace civitas::comm {

void check(int code, const char* call, std::source_location at = std::source_location::current());

}  // namespace civitas::comm
