#pragma once
/// What HDF5 is about to read of a file, checked before: version 1.10 believes what it finds, and a
/// damaged or forged file makes it read and write past its buffers. Included by this module's
/// sources only.
#include "group.hpp"

#include <map>

namespace civitas::hdf5 {

class SoundFile {
public:
    /// Throws Error unless the file's head, its extension and its root group can be opened.
    /// Reads `file` until read_through().
    explicit SoundFile(const io::RawFile& file);

    /// Reads through HDF5's descriptor from now on: the file needs no second one, and is the same
    /// whatever gets its name.
    void read_through(int descriptor) { bytes_.file = bytes_of(descriptor, bytes_.file); }

    /// Throws Error unless the object whose header is at `address` can be opened, with its
    /// attributes and, of a group, its list of names.
    const ObjectFacts& require(std::uint64_t address);
    [[nodiscard]] std::uint64_t size() const { return bytes_.file.size; }  ///< bytes

private:
    struct Head {
        std::uint64_t base = 0;
        std::uint64_t root = 0;
        std::uint64_t extension = nowhere;
        GroupSizes sizes = {};
    };
    [[nodiscard]] static Head head_of(const FileBytes& file);
    void read_extension();

    Head head_;
    H5Bytes bytes_;
    std::map<std::uint64_t, ObjectFacts> sound_ = {};  ///< objects by address
};

}  // namespace civitas::hdf5
