#include "messages.hpp"

#include "datatype.hpp"

#include <algorithm>
#include <set>

// The layout of these structures: "HDF5 File Format Specification", IV.A.2.

namespace civitas::hdf5 {
namespace {

/// What the messages of a dataset say of each other.
struct Dataset {
    std::optional<Dataspace> space = {};
    std::optional<std::uint64_t> element = {};  ///< bytes
    std::vector<std::uint64_t> fillings = {};   ///< bytes of fill values
    std::vector<std::uint64_t> chunk = {};      ///< its extents, the element's bytes last
};

void require_attribute(const Piece& body) {
    Cursor at(body);
    const unsigned version = at.u8();
    at.require(version >= 1 && version <= 3);
    const unsigned shared = at.u8();
    at.require(version == 1 || shared == 0);
    const unsigned name_bytes = at.u16(), type_bytes = at.u16(), space_bytes = at.u16();
    if (version == 3) at.skip(1);
    const auto take = [&](unsigned bytes) {
        const Piece taken = at.take(bytes);
        if (version == 1) at.skip((8 - bytes % 8) % 8);
        return taken;
    };
    const Piece name = take(name_bytes);
    name.require(name.length_of_text(0) + 1 == name_bytes);
    const std::uint64_t each = require_datatype(take(type_bytes));
    const Dataspace space = require_dataspace(take(space_bytes));
    at.skip(bounded_product(each, space.elements));
}

/// Adds the bytes of the value, if there is one.
void require_fill(const Piece& body, bool old, std::vector<std::uint64_t>& found) {
    Cursor at(body);
    constexpr unsigned has_value = 0x20, undefined = 0x10, known = 0x3f, none = 0x80000000;
    const unsigned version = old ? 0 : at.u8();
    at.require(version <= 3 && (old || version > 0));
    if (version == 3) {
        const unsigned flags = at.u8();
        at.require(flags <= known && (flags & (has_value | undefined)) != (has_value | undefined));
        if ((flags & has_value) == 0) return;
    } else if (!old) {
        at.skip(2);
        if (at.u8() == 0) return;
    }
    const std::uint32_t bytes = at.u32();
    if (bytes == 0 || (version != 3 && bytes >= none)) return;
    at.skip(bytes);
    found.push_back(bytes);
}

/// The address of what HDF5 reads next; that of data, which we read ourselves, is another matter.
void take_address(Cursor& at, ObjectFacts& facts) { facts.addresses.push_back(at.u64()); }

/// Parameters of the index of chunks in the fourth version of a layout.
void skip_index(Cursor& at, unsigned flags) {
    enum Index : unsigned { single = 1, implicit, fixed_array, extensible_array, tree };
    constexpr unsigned filtered = 2;
    switch (at.u8()) {
        case single: return at.skip((flags & filtered) != 0 ? 12 : 0);
        case implicit: return;
        case fixed_array: return at.skip(1);
        case extensible_array: return at.skip(5);
        case tree: return at.skip(6);
        default: at.require(false);
    }
}

std::vector<std::uint64_t> chunk_extents(Cursor& at, unsigned dims, std::size_t width) {
    constexpr unsigned most = 33;
    at.require(dims > 1 && dims <= most);
    std::vector<std::uint64_t> extents(dims);
    std::uint64_t bytes = 1;
    for (auto& extent : extents) {
        extent = at.number(width);
        bytes = bounded_product(bytes, extent);
    }
    at.require(bytes > 0 && bytes >> 32U == 0);
    return extents;
}

enum Storage : unsigned { compact, contiguous, chunked, elsewhere };

std::vector<std::uint64_t> require_old_layout(Cursor& at, ObjectFacts& facts) {
    constexpr unsigned most = 33;
    const unsigned dims = at.u8(), storage = at.u8();
    at.require(dims > 0 && dims <= most && storage <= chunked);
    at.skip(5);
    if (storage == chunked) {
        take_address(at, facts);
        return chunk_extents(at, dims, 4);
    }
    if (storage == contiguous) at.skip(8);
    at.skip(4 * std::uint64_t{dims});
    if (storage == compact) at.skip(at.u32());
    return {};
}

/// The extents of a chunk, if the dataset lies in chunks.
std::vector<std::uint64_t> require_layout(const Piece& body, ObjectFacts& facts) {
    Cursor at(body);
    const unsigned version = at.u8();
    at.require(version >= 1 && version <= 4);
    if (version < 3) return require_old_layout(at, facts);
    const unsigned storage = at.u8();
    at.require(storage <= (version == 3 ? chunked : elsewhere));
    if (storage == compact) at.skip(at.u16());
    if (storage == contiguous) at.skip(16);
    if (storage == elsewhere) facts.data_elsewhere = true;
    if (storage != chunked) return {};
    if (version == 3) {
        const unsigned dims = at.u8();
        take_address(at, facts);
        return chunk_extents(at, dims, 4);
    }
    const unsigned flags = at.u8(), dims = at.u8(), width = at.u8();
    at.require(flags <= 3 && width >= 1 && width <= 8);
    auto extents = chunk_extents(at, dims, width);
    skip_index(at, flags);
    take_address(at, facts);
    return extents;
}

void require_filters(const Piece& body) {
    Cursor at(body);
    constexpr unsigned most = 32, first_named = 256, bits = 5, scale = 6;
    const unsigned version = at.u8();
    const unsigned count = at.u8();
    at.require((version == 1 || version == 2) && count <= most);
    if (version == 1) at.skip(6);
    for (unsigned f = 0; f < count; ++f) {
        const unsigned filter = at.u16();
        // HDF5 1.10 believes the sizes in the data that these two unpack.
        at.require(filter != bits && filter != scale);
        const unsigned name_bytes = version == 1 || filter >= first_named ? at.u16() : 0;
        at.skip(2);
        const unsigned values = at.u16();
        const Piece name = at.take(name_bytes);
        name.require(version > 1 || name_bytes % 8 == 0);
        if (name_bytes > 0) static_cast<void>(name.length_of_text(0));
        at.skip(4 * std::uint64_t{values + (version == 1 ? values % 2 : 0)});
    }
}

void require_link(const Piece& body) {
    Cursor at(body);
    enum Sort : unsigned { hard, soft };
    constexpr unsigned has_sort = 8, has_order = 4, has_charset = 0x10, known = 0x1f;
    at.require(at.u8() == 1);
    const unsigned flags = at.u8();
    at.require(flags <= known);
    const unsigned sort = (flags & has_sort) != 0 ? at.u8() : hard;
    if ((flags & has_order) != 0) at.skip(8);
    if ((flags & has_charset) != 0) at.require(at.u8() <= 1);
    const std::uint64_t name_bytes = at.number(std::size_t{1} << (flags & 3U));
    at.require(name_bytes > 0);
    at.skip(name_bytes);
    if (sort == hard) return at.skip(8);
    constexpr unsigned first_of_users = 64;
    at.require(sort == soft || sort >= first_of_users);
    const unsigned target_bytes = at.u16();
    at.require(target_bytes > 0 || sort != soft);
    at.skip(target_bytes);
}

/// Link info, group info and attribute info: versions, flags and what the flags announce.
void require_info(const HeaderMessage& m, ObjectFacts& facts) {
    Cursor at(m.body);
    at.require(at.u8() == 0);
    const unsigned flags = at.u8();
    at.require(flags <= 3);
    const bool first = (flags & 1U) != 0, second = (flags & 2U) != 0;
    if (m.type == message::group_info) return at.skip((first ? 4U : 0U) + (second ? 4U : 0U));
    const unsigned order = m.type == message::link_info ? 8 : 2;
    at.skip(first ? order : 0);
    for (unsigned addresses = second ? 3 : 2; addresses > 0; --addresses) take_address(at, facts);
}

void require_time(const Piece& body, bool old) {
    Cursor at(body);
    if (old) return at.skip(16);
    at.require(at.u8() == 1);
    at.skip(3 + 4);
}

/// A message that says nothing of a dataset.
void require_other(const HeaderMessage& m, ObjectFacts& facts) {
    switch (m.type) {
        case message::link_info:
        case message::group_info:
        case message::attribute_info: return require_info(m, facts);
        case message::link: return require_link(m.body);
        case message::attribute: return require_attribute(m.body);
        case message::old_time:
        case message::time: return require_time(m.body, m.type == message::old_time);
        case message::comment: return static_cast<void>(m.body.length_of_text(0));
        case message::links_count:
            return m.body.require(m.body.number<std::uint8_t>(0) == 0 && m.body.size() >= 5);
        case message::symbol_table:
            facts.links = {m.body.number<std::uint64_t>(0), m.body.number<std::uint64_t>(8)};
            return;
        case message::other_files: facts.data_elsewhere = true; return;
        default: return;
    }
}

void require_fit(const Dataset& dataset, const Piece& body) {
    for (const std::uint64_t bytes : dataset.fillings) body.require(bytes == dataset.element);
    if (dataset.chunk.empty()) return;
    body.require(dataset.space && dataset.chunk.size() == dataset.space->dims + 1);
    body.require(dataset.element && dataset.chunk.back() == *dataset.element);
}

}  // namespace

ObjectFacts require_messages(const std::vector<HeaderMessage>& messages) {
    ObjectFacts facts;
    Dataset dataset;
    std::set<unsigned> seen;
    for (const HeaderMessage& m : messages) {
        const bool first = seen.insert(m.type).second;
        switch (m.type) {
            case message::dataspace: dataset.space = require_dataspace(m.body); break;
            case message::datatype: dataset.element = require_datatype(m.body); break;
            case message::old_fill: require_fill(m.body, true, dataset.fillings); break;
            case message::fill: require_fill(m.body, false, dataset.fillings); break;
            case message::layout: dataset.chunk = require_layout(m.body, facts); break;
            case message::filters: require_filters(m.body); break;
            case message::nothing:
            case message::continuation:
            case message::link:
            case message::attribute: require_other(m, facts); continue;
            default: require_other(m, facts);
        }
        m.body.require(first);
    }
    if (!messages.empty()) require_fit(dataset, messages.front().body);
    return facts;
}

}  // namespace civitas::hdf5
