#include "sound.hpp"

#include "civitas/base/error.hpp"

// The layout of these structures: "HDF5 File Format Specification", II.A (superblock) and II.C
// (superblock extension).

namespace civitas::hdf5 {
namespace {

constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);

/// Where the superblock is: at the beginning, or at 512 bytes, or twice as far, and so on.
std::uint64_t begin_of(const FileBytes& file) {
    constexpr std::uint64_t first = 512;
    for (std::uint64_t at = 0; at + signature.size() <= file.size; at = at == 0 ? first : 2 * at)
        if (Piece(file, at, signature.size()).begins(signature)) return at;
    return 0;
}

/// Throws when the file ends before the end that it states, third of these `addresses`.
void require_whole(const FileBytes& file, std::uint64_t begin, const Piece& addresses) {
    const auto base = addresses.number<std::uint64_t>(0), end = addresses.number<std::uint64_t>(16);
    if (end < base || end - base <= file.size - begin) return;
    throw Error(text("cannot open ", std::filesystem::path(*file.name),
                     ": truncated file: eof = ", end, ", but it has ", file.size, " bytes"),
                Hint{"the file is damaged or truncated: copy or make it again"});
}

/// How the file's free room is kept, which HDF5 reads with the file's head.
void require_space_info(const Piece& body) {
    constexpr unsigned all_kept = 1, kinds_of_old = 6, kinds = 12;
    Cursor at(body);
    const unsigned version = at.u8();
    const unsigned strategy = at.u8();
    at.require(version <= 1);
    if (version == 0) {
        at.require(strategy > 0 && strategy <= 4);
        at.skip(8 + (strategy == all_kept ? 8 * kinds_of_old : 0));
        return;
    }
    const unsigned kept = at.u8();
    at.require(strategy <= 3 && kept <= 1);
    at.skip(8 + 8 + 2 + 8 + (kept == 1 ? 8 * kinds : 0));
}

}  // namespace

SoundFile::SoundFile(const io::RawFile& file)
    : head_(head_of(bytes_of(file))), bytes_{bytes_of(file), head_.base} {
    if (head_.extension != nowhere) read_extension();
    static_cast<void>(require(head_.root));
}

SoundFile::Head SoundFile::head_of(const FileBytes& file) {
    constexpr std::size_t shortest = 48;
    constexpr unsigned address_bytes = 8;
    Head head{.base = begin_of(file)};
    const Piece block(file, head.base, shortest);
    const unsigned version = block.number<std::uint8_t>(8);
    block.require(version <= 3);
    if (version >= 2) {
        block.require(block.number<std::uint16_t>(9) == 0x0101 * address_bytes);
        require_whole(file, head.base, block.part(12, 24));
        head.extension = block.number<std::uint64_t>(20);
        head.root = block.number<std::uint64_t>(36);
        return head;
    }
    // No library but HDF5's own drivers of several files writes a block for them.
    block.require(block.number<std::uint16_t>(13) == 0x0101 * address_bytes);
    head.sizes = {block.number<std::uint16_t>(16), block.number<std::uint16_t>(18)};
    block.require(head.sizes.names > 0 && head.sizes.children > 0);
    const std::size_t addresses = version == 0 ? 24 : 28;
    const Piece rest(file, head.base + addresses, 72);
    require_whole(file, head.base, rest);
    rest.require(rest.number<std::uint64_t>(24) == nowhere);
    head.root = rest.number<std::uint64_t>(40);
    return head;
}

void SoundFile::read_extension() {
    for (const HeaderMessage& m : header_messages(bytes_, head_.extension)) {
        Cursor at(m.body);
        switch (m.type) {
            case message::nothing:
            case message::continuation: break;
            case message::tree_sizes:
                at.skip(1 + 2);
                head_.sizes.children = at.u16();
                head_.sizes.names = at.u16();
                at.require(head_.sizes.names > 0 && head_.sizes.children > 0);
                break;
            case message::space_info: require_space_info(m.body); break;
            default: at.require(false);
        }
    }
}

const ObjectFacts& SoundFile::require(std::uint64_t address) {
    const auto known = sound_.find(address);
    if (known != sound_.end()) return known->second;
    const ObjectFacts facts = require_messages(header_messages(bytes_, address));
    for (const std::uint64_t place : facts.addresses)
        if (place != nowhere) static_cast<void>(bytes_.at(place, 1));
    if (facts.links) require_group(bytes_, *facts.links, head_.sizes);
    return sound_.emplace(address, facts).first->second;
}

}  // namespace civitas::hdf5
