#include "header.hpp"

#include <algorithm>

// The layout of these structures: "HDF5 File Format Specification", IV.A (object headers).

namespace civitas::hdf5 {
namespace {

/// How the messages of an object header are laid out.
struct HeaderForm {
    bool first = true;       ///< the first format: wide message types, no checksums
    bool numbered = false;   ///< messages have numbers
    std::uint64_t room = 0;  ///< bytes that its blocks may take together: they do not overlap
};

/// Bytes before the messages of a continuation (`OCHK`), and behind those of any block.
constexpr std::size_t mark_bytes = 4, checksum_bytes = 4;

std::size_t head_bytes(const HeaderForm& form) {
    if (form.first) return 8;
    return form.numbered ? 6 : 4;
}

class Header {
public:
    explicit Header(const H5Bytes& file) : file_(file) { form_.room = file.file.size; }

    void read(std::uint64_t address) {
        constexpr std::size_t mark_and_flags = 16;
        const Piece head = file_.at(address, mark_and_flags);
        if (head.begins("OHDR"))
            read_second(address, head);
        else
            read_first(address, head);
        for (std::size_t next = 0; next < messages_.size(); ++next)
            if (messages_[next].type == message::continuation) follow(messages_[next].body);
    }

    std::vector<HeaderMessage> take() { return std::move(messages_); }

private:
    void read_first(std::uint64_t address, const Piece& head) {
        head.require(head.number<std::uint8_t>(0) == 1);
        constexpr std::size_t prefix = 16;
        keep_messages(block(address + prefix, head.number<std::uint32_t>(8), head));
    }

    void read_second(std::uint64_t address, const Piece& head) {
        const unsigned flags = head.number<std::uint8_t>(5);
        head.require(head.number<std::uint8_t>(4) == 2 && flags < 0x40);
        std::size_t begin = 6;
        if ((flags & 0x20U) != 0) begin += 16;  // times
        if ((flags & 0x10U) != 0) begin += 4;   // numbers of attributes
        const std::size_t width = std::size_t{1} << (flags & 3U);
        const Piece size = file_.at(address + begin, width);
        form_.first = false;
        form_.numbered = (flags & 4U) != 0;
        const std::uint64_t messages = size.number(0, width);
        keep_messages(block(address + begin + width, messages, size));
    }

    void follow(const Piece& continuation) {
        const auto address = continuation.number<std::uint64_t>(0);
        const Piece found = block(address, continuation.number<std::uint64_t>(8), continuation);
        found.require(found.size() >= head_bytes(form_));
        if (form_.first) return keep_messages(found);
        found.require(found.begins("OCHK") && found.size() >= mark_bytes + checksum_bytes);
        keep_messages(found.part(mark_bytes, found.size() - mark_bytes - checksum_bytes));
    }

    Piece block(std::uint64_t address, std::uint64_t size, const Piece& from) {
        from.require(size <= form_.room);
        form_.room -= size;
        return file_.at(address, static_cast<std::size_t>(size));
    }

    void keep_messages(const Piece& block) {
        Cursor cursor(block);
        const std::size_t head = head_bytes(form_);
        while (cursor.left() >= head) {
            const unsigned type = form_.first ? cursor.u16() : cursor.u8();
            const unsigned size = cursor.u16();
            const unsigned flags = cursor.u8();
            cursor.skip(head - (form_.first ? 5 : 4));
            constexpr unsigned shared = 2;
            cursor.require((flags & shared) == 0 && (!form_.first || size % 8 == 0));
            messages_.push_back({type, cursor.take(size)});
        }
        cursor.require(!form_.first || cursor.left() == 0);
    }

    H5Bytes file_;
    HeaderForm form_;
    std::vector<HeaderMessage> messages_;
};

}  // namespace

Piece H5Bytes::at(std::uint64_t address, std::size_t size) const {
    return {file, address > file.size ? address : base + address, size};
}

std::vector<HeaderMessage> header_messages(const H5Bytes& file, std::uint64_t address) {
    Header header(file);
    header.read(address);
    return header.take();
}

}  // namespace civitas::hdf5
