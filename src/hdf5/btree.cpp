#include "btree.hpp"

#include "header.hpp"

#include <utility>

// The layout of these structures: "HDF5 File Format Specification", III.A.1 (B-trees), IV.A.2.i
// (data layout message).

namespace civitas::hdf5 {
namespace {

/// Where the tree begins; nothing when the chunks are indexed otherwise.
std::optional<std::uint64_t> tree_of(const Piece& layout, std::size_t dims) {
    constexpr unsigned third_version = 3, in_chunks = 2;
    if (layout.number<std::uint8_t>(0) != third_version) return std::nullopt;
    layout.require(layout.number<std::uint8_t>(1) == in_chunks &&
                   layout.number<std::uint8_t>(2) == dims + 1);
    return layout.number<std::uint64_t>(3);
}

std::optional<std::uint64_t> find_tree(const FileBytes& file, const ChunkedDataset& dataset) {
    for (const HeaderMessage& m : header_messages({file}, dataset.object_header))
        if (m.type == message::layout) return tree_of(m.body, dataset.dims);
    return std::nullopt;
}

/// Goes through the nodes once, from the root down.
class Walk {
public:
    Walk(const FileBytes& file, const ChunkedDataset& dataset)
        : file_(file),
          dataset_(dataset),
          key_(8 + 8 * (dataset.dims + 1)),
          node_(head + dataset.node_children * (key_ + 8) + key_) {}

    void visit(std::uint64_t at, int parent_level) {
        const Piece node(file_, at, node_);
        const int level = node.number<std::uint8_t>(5);
        const std::size_t used = node.number<std::uint16_t>(6);
        if (!node.begins("TREE") || node.number<std::uint8_t>(4) != 1 || level >= parent_level ||
            used > dataset_.node_children || ++nodes_ > 2 * dataset_.rows + 64)
            node.refuse();
        for (std::size_t i = 0; i < used; ++i) {
            const std::size_t key = head + i * (key_ + 8);
            const auto child = node.number<std::uint64_t>(key + key_);
            if (level > 0)
                visit(child, level);
            else
                keep(node, key, child);
        }
    }

    [[nodiscard]] std::vector<ListedChunk> take() { return std::move(chunks_); }

private:
    static constexpr std::size_t head = 24;

    void keep(const Piece& node, std::size_t key, std::uint64_t address) {
        if (chunks_.size() == dataset_.rows) node.refuse();
        chunks_.push_back({node.number<std::uint64_t>(key + 8),
                           {address, node.number<std::uint32_t>(key)},
                           node.number<std::uint32_t>(key + 4)});
    }

    const FileBytes& file_;
    const ChunkedDataset& dataset_;
    std::size_t key_;   ///< bytes of a key: size, filters, the chunk's corner
    std::size_t node_;  ///< bytes of a node
    std::uint64_t nodes_ = 0;
    std::vector<ListedChunk> chunks_;
};

}  // namespace

std::optional<std::vector<ListedChunk>> list_chunks(const io::RawFile& raw,
                                                    const ChunkedDataset& dataset) {
    const FileBytes file = bytes_of(raw);
    const auto tree = find_tree(file, dataset);
    if (!tree) return std::nullopt;
    Walk walk(file, dataset);
    constexpr int above_every_level = 256;
    if (*tree != nowhere) walk.visit(*tree, above_every_level);
    return walk.take();
}

}  // namespace civitas::hdf5
