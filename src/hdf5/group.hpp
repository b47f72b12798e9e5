#pragma once
/// Groups of HDF5's first format, checked before HDF5 reads them. Included by this module's sources
/// only.
#include "messages.hpp"

namespace civitas::hdf5 {

/// Entries that the nodes of a group's index have room for, halved.
struct GroupSizes {
    unsigned names = 4;      ///< of a node of names
    unsigned children = 16;  ///< of a node above
};

/// Throws Error unless all names of a group lie in its heap and its index is a tree.
void require_group(const H5Bytes& file, ObjectFacts::Table links, GroupSizes sizes);

}  // namespace civitas::hdf5
