#pragma once
/// What the messages of an object header say, checked before HDF5 reads them: version 1.10 believes
/// the lengths in them. Included by this module's sources only.
#include "header.hpp"

#include <optional>

namespace civitas::hdf5 {

/// What matters of an object to whoever opens it.
struct ObjectFacts {
    bool data_elsewhere = false;  ///< a dataset that keeps its data in other files
    struct Table {
        std::uint64_t tree = nowhere;
        std::uint64_t heap = nowhere;
    };
    std::optional<Table> links = {};            ///< of a group of the first format
    std::vector<std::uint64_t> addresses = {};  ///< of what else HDF5 reads to open the object
};

/// Throws Error unless all lengths in the messages of an object fit into them and to each other.
[[nodiscard]] ObjectFacts require_messages(const std::vector<HeaderMessage>& messages);

}  // namespace civitas::hdf5
