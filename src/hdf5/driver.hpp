#pragma once
/// HDF5's file driver for the files we write. Included by this module's sources only.
#include "library.hpp"

namespace civitas::hdf5 {

/// Makes files opened with these access properties go to `target`, which outlives them.
void write_through(const H5Id& access, DriverTarget& target);

}  // namespace civitas::hdf5
