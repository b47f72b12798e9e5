#pragma once
/// The object headers of an HDF5 file, read without HDF5. Included by this module's sources only.
#include "piece.hpp"

namespace civitas::hdf5 {

/// Kinds of header messages, as the file numbers them.
namespace message {
constexpr unsigned nothing = 0x00, dataspace = 0x01, link_info = 0x02, datatype = 0x03,
                   old_fill = 0x04, fill = 0x05, link = 0x06, other_files = 0x07, layout = 0x08,
                   group_info = 0x0a, filters = 0x0b, attribute = 0x0c, comment = 0x0d,
                   old_time = 0x0e, continuation = 0x10, symbol_table = 0x11, time = 0x12,
                   tree_sizes = 0x13, attribute_info = 0x15, links_count = 0x16, space_info = 0x17;
}  // namespace message

struct HeaderMessage {
    unsigned type = 0;
    Piece body;
};

/// A file and where its addresses count from.
struct H5Bytes {
    FileBytes file;
    std::uint64_t base = 0;  ///< at most its size

    [[nodiscard]] Piece at(std::uint64_t address, std::size_t size) const;
};

/// All messages of the object header at `address`, in the library's order. Throws Error for a
/// header that is damaged, and for messages that are shared with other objects: HDF5 1.10 looks for
/// them in tables that a file need not have.
[[nodiscard]] std::vector<HeaderMessage> header_messages(const H5Bytes& file,
                                                         std::uint64_t address);

}  // namespace civitas::hdf5
