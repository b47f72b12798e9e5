#include "h5_btree.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

// The layout of these structures: "HDF5 File Format Specification", III.A.1 (B-trees), IV.A (object
// headers), IV.A.2.i (data layout message).

namespace civitas::io {
namespace {

constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

/// A piece of the file as little-endian numbers.
class Piece {
public:
    Piece(const RawFile& file, std::uint64_t offset, std::size_t size)
        : name_(file.name().string()), offset_(offset), bytes_(size) {
        if (offset > file.size() || size > file.size() - offset) refuse();
        file.read_at(offset, bytes_);
    }

    template <class T>
    [[nodiscard]] T number(std::size_t at) const {
        std::array<std::byte, sizeof(T)> raw{};
        if (at + sizeof(T) > bytes_.size()) refuse();
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), sizeof(T), raw.begin());
        T value = 0;
        for (std::size_t i = sizeof(T); i-- > 0;)
            value = static_cast<T>(value << (sizeof(T) > 1 ? 8U : 0U)) | static_cast<T>(raw[i]);
        return value;
    }
    [[nodiscard]] bool begins(std::string_view mark) const {
        return bytes_.size() >= mark.size() &&
               std::memcmp(bytes_.data(), mark.data(), mark.size()) == 0;
    }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[noreturn]] void refuse() const {
        throw Error(text(name_, ": the index of its chunks is damaged at byte ", offset_),
                    Hint{"the file is damaged: copy or make it again"});
    }

private:
    std::string name_;
    std::uint64_t offset_;
    std::vector<std::byte> bytes_;
};

struct Block {
    std::uint64_t offset = 0;
    std::size_t size = 0;
};

/// How the messages of an object header are laid out.
struct HeaderForm {
    std::vector<Block> blocks = {};
    std::size_t message_head = 8;  ///< bytes before a message's own
    bool first = true;             ///< the first format: wide message types
};

std::size_t modest(std::uint64_t size, const Piece& from) {
    constexpr std::uint64_t most = 1 << 20;
    if (size > most) from.refuse();
    return static_cast<std::size_t>(size);
}

HeaderForm header_form(const RawFile& file, std::uint64_t at) {
    const Piece head(file, at, 16);
    HeaderForm form;
    if (!head.begins("OHDR")) {
        if (head.number<std::uint8_t>(0) != 1) head.refuse();
        form.blocks.push_back({at + 16, modest(head.number<std::uint32_t>(8), head)});
        return form;
    }
    const unsigned flags = head.number<std::uint8_t>(5);
    std::size_t begin = 6;
    if ((flags & 0x20U) != 0) begin += 16;  // times
    if ((flags & 0x10U) != 0) begin += 4;   // numbers of attributes
    const std::size_t width = std::size_t{1} << (flags & 3U);
    const Piece size(file, at + begin, 8);
    const std::uint64_t mask = width == 8 ? nowhere : (std::uint64_t{1} << (8 * width)) - 1;
    form.blocks.push_back({at + begin + width, modest(size.number<std::uint64_t>(0) & mask, size)});
    form.message_head = (flags & 4U) != 0 ? 6 : 4;
    form.first = false;
    return form;
}

/// Where the tree begins; nothing when the chunks are indexed otherwise.
std::optional<std::uint64_t> tree_of(const Piece& block, std::size_t layout, std::size_t dims) {
    constexpr unsigned third_version = 3, in_chunks = 2;
    if (block.number<std::uint8_t>(layout) != third_version) return std::nullopt;
    if (block.number<std::uint8_t>(layout + 1) != in_chunks ||
        block.number<std::uint8_t>(layout + 2) != dims + 1)
        block.refuse();
    return block.number<std::uint64_t>(layout + 3);
}

std::optional<std::uint64_t> find_tree(const RawFile& file, const ChunkedDataset& dataset) {
    constexpr unsigned layout = 0x08, continuation = 0x10;
    constexpr std::size_t most_blocks = 1000;
    HeaderForm form = header_form(file, dataset.object_header);
    for (std::size_t b = 0; b < form.blocks.size(); ++b) {
        const Piece block(file, form.blocks[b].offset, form.blocks[b].size);
        if (b == most_blocks) block.refuse();
        std::size_t at = b > 0 && !form.first ? 4 : 0;  // after OCHK
        while (at + form.message_head <= block.size()) {
            const unsigned type =
                form.first ? block.number<std::uint16_t>(at) : block.number<std::uint8_t>(at);
            const std::size_t size = block.number<std::uint16_t>(at + (form.first ? 2 : 1));
            at += form.message_head;
            if (type == layout) return tree_of(block, at, dataset.dims);
            if (type == continuation)
                form.blocks.push_back({block.number<std::uint64_t>(at),
                                       modest(block.number<std::uint64_t>(at + 8), block)});
            at += size;
        }
    }
    return std::nullopt;
}

/// Goes through the nodes once, from the root down.
class Walk {
public:
    Walk(const RawFile& file, const ChunkedDataset& dataset)
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

    const RawFile& file_;
    const ChunkedDataset& dataset_;
    std::size_t key_;   ///< bytes of a key: size, filters, the chunk's corner
    std::size_t node_;  ///< bytes of a node
    std::uint64_t nodes_ = 0;
    std::vector<ListedChunk> chunks_;
};

}  // namespace

std::optional<std::vector<ListedChunk>> list_chunks(const RawFile& file,
                                                    const ChunkedDataset& dataset) {
    const auto tree = find_tree(file, dataset);
    if (!tree) return std::nullopt;
    Walk walk(file, dataset);
    constexpr int above_every_level = 256;
    if (*tree != nowhere) walk.visit(*tree, above_every_level);
    return walk.take();
}

}  // namespace civitas::io
