#include "group.hpp"

// The layout of these structures: "HDF5 File Format Specification", III.A (B-trees), III.B (symbol
// table nodes), III.C (symbol table entries), III.D (local heaps).

namespace civitas::hdf5 {
namespace {

/// The texts of a group.
Piece heap_of(const H5Bytes& file, std::uint64_t address) {
    constexpr std::size_t head_bytes = 32;
    const Piece head = file.at(address, head_bytes);
    const auto size = head.number<std::uint64_t>(8);
    head.require(head.begins("HEAP") && head.number<std::uint8_t>(4) == 0 &&
                 size <= file.file.size);
    return file.at(head.number<std::uint64_t>(24), static_cast<std::size_t>(size));
}

/// The list of free pieces, each with the place of the next and its own size: it ends.
void require_free_list(const Piece& heap, std::uint64_t first) {
    constexpr std::uint64_t last = 1, piece_bytes = 16;
    std::uint64_t most = heap.size() / piece_bytes;
    for (std::uint64_t free = first; free != last; --most) {
        heap.require(most > 0 && free <= heap.size());
        const auto at = static_cast<std::size_t>(free);
        const auto size = heap.number<std::uint64_t>(at + 8);
        free = heap.number<std::uint64_t>(at);
        heap.require(free != 0 && size <= heap.size() - at);
    }
}

class GroupIndex {
public:
    GroupIndex(const H5Bytes& file, Piece heap, GroupSizes sizes)
        : file_(file), heap_(std::move(heap)), sizes_(sizes), room_(file.file.size) {}

    void visit(std::uint64_t address, int parent_level) {
        constexpr std::size_t head = 24, step = 16, key = 8;
        const std::size_t most = std::size_t{2} * sizes_.children;
        const Piece node = block(address, head + most * step + key);
        const int level = node.number<std::uint8_t>(5);
        const std::size_t used = node.number<std::uint16_t>(6);
        node.require(node.begins("TREE") && node.number<std::uint8_t>(4) == 0 && used <= most &&
                     level < parent_level);
        for (std::size_t i = 0; i <= used && used > 0; ++i)
            require_text(node.number<std::uint64_t>(head + i * step));
        for (std::size_t i = 0; i < used; ++i) {
            const auto child = node.number<std::uint64_t>(head + i * step + key);
            if (level > 0)
                visit(child, level);
            else
                visit_names(child);
        }
    }

private:
    void visit_names(std::uint64_t address) {
        constexpr std::size_t head = 8, entry = 40;
        const std::size_t most = std::size_t{2} * sizes_.names;
        const Piece node = block(address, head + most * entry);
        const std::size_t used = node.number<std::uint16_t>(6);
        node.require(node.begins("SNOD") && node.number<std::uint8_t>(4) == 1 && used <= most);
        for (std::size_t i = 0; i < used; ++i) {
            constexpr unsigned soft_link = 2;
            const Piece one = node.part(head + i * entry, entry);
            const auto kept = one.number<std::uint32_t>(16);
            one.require(kept <= soft_link);
            require_text(one.number<std::uint64_t>(0));
            if (kept == soft_link) require_text(one.number<std::uint32_t>(24));
        }
    }

    void require_text(std::uint64_t place) const {
        heap_.require(place < heap_.size());
        static_cast<void>(heap_.length_of_text(static_cast<std::size_t>(place)));
    }

    /// Nodes do not overlap: all together are no larger than the file.
    Piece block(std::uint64_t address, std::size_t size) {
        heap_.require(size <= room_);
        room_ -= size;
        return file_.at(address, size);
    }

    H5Bytes file_;
    Piece heap_;
    GroupSizes sizes_;
    std::uint64_t room_;
};

}  // namespace

void require_group(const H5Bytes& file, ObjectFacts::Table links, GroupSizes sizes) {
    constexpr int above_every_level = 256;
    constexpr std::size_t free_list = 16;
    const Piece heap = heap_of(file, links.heap);
    require_free_list(heap, file.at(links.heap + free_list, 8).number<std::uint64_t>(0));
    GroupIndex(file, heap, sizes).visit(links.tree, above_every_level);
}

}  // namespace civitas::hdf5
