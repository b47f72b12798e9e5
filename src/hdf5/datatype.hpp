#pragma once
/// Datatypes and dataspaces as an HDF5 file describes them, read without HDF5. Included by this
/// module's sources only.
#include "piece.hpp"

namespace civitas::hdf5 {

/// Bytes of an element of the type that a datatype message describes. Throws Error unless HDF5 can
/// read the description without harm.
[[nodiscard]] std::uint64_t require_datatype(const Piece& description);

struct Dataspace {
    unsigned dims = 0;
    std::uint64_t elements = 0;  ///< at most 2^64 - 1
};

/// What a dataspace message describes. Throws Error unless HDF5 can read it without harm.
[[nodiscard]] Dataspace require_dataspace(const Piece& description);

/// The product, or 2^64 - 1 where it is larger.
[[nodiscard]] std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b);

}  // namespace civitas::hdf5
