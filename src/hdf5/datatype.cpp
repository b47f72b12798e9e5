#include "datatype.hpp"

#include <algorithm>

// The layout of these structures: "HDF5 File Format Specification", IV.A.2.b (dataspace) and
// IV.A.2.d (datatype).

namespace civitas::hdf5 {
namespace {

constexpr unsigned most_dims = 32;

enum Class : unsigned {
    whole,
    real,
    time,
    characters,
    bits,
    opaque,
    compound,
    reference,
    enumeration,
    variable,
    array
};

struct Description {
    unsigned version = 0;
    unsigned of = 0;
    unsigned flags = 0;
    std::uint64_t size = 0;
};

/// Bytes of a compound type that a member takes.
struct Taken {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

std::uint64_t element(Cursor& at, int depth);

/// Names take multiples of 8 bytes up to version 2.
std::size_t unit_of_names(const Description& type) { return type.version < 3 ? 8 : 1; }

void members(Cursor& at, const Description& type, int depth) {
    const unsigned count = type.flags & 0xffffU;
    at.require(count > 0);
    std::size_t offset_bytes = 1;
    while (offset_bytes < 4 && type.size >> (8 * offset_bytes) != 0) ++offset_bytes;
    std::vector<Taken> taken;
    std::uint64_t end = 0;
    for (unsigned m = 0; m < count; ++m) {
        at.skip_text(unit_of_names(type));
        const std::uint64_t offset = at.number(type.version < 3 ? 4 : offset_bytes);
        std::uint64_t repeated = 1;
        if (type.version == 1) {
            constexpr unsigned most = 4;
            const unsigned dims = at.u8();
            at.require(dims <= most);
            at.skip(3 + 4 + 4);
            for (unsigned d = 0; d < most; ++d) {
                const std::uint32_t extent = at.u32();
                if (d < dims) repeated = bounded_product(repeated, extent);
            }
        }
        const std::uint64_t bytes = bounded_product(repeated, element(at, depth + 1));
        at.require(bytes > 0 && offset <= type.size && bytes <= type.size - offset);
        const auto holds = [=](const Taken& r) { return offset >= r.begin && offset < r.end; };
        at.require(offset >= end || std::none_of(taken.begin(), taken.end(), holds));
        taken.push_back({offset, offset + bytes});
        end = std::max(end, offset + bytes);
    }
}

void names_and_values(Cursor& at, const Description& type, int depth) {
    const unsigned count = type.flags & 0xffffU;
    const std::uint64_t each = element(at, depth + 1);
    at.require(each == type.size);
    for (unsigned n = 0; n < count; ++n) at.skip_text(unit_of_names(type));
    at.skip(count * each);
}

void extents(Cursor& at, const Description& type, int depth) {
    const unsigned dims = at.u8();
    at.require(dims > 0 && dims <= most_dims && type.version > 1);
    if (type.version < 3) at.skip(3);
    std::uint64_t count = 1;
    for (unsigned d = 0; d < dims; ++d) count = bounded_product(count, at.u32());
    if (type.version < 3) at.skip(4 * std::uint64_t{dims});
    at.require(bounded_product(count, element(at, depth + 1)) == type.size);
}

void require_order(const Cursor& at, const Description& type) {
    constexpr unsigned big_endian = 1, vax = 0x40, normalization = 0x30;
    at.require((type.flags & normalization) != normalization);
    at.require(type.version < 3 || (type.flags & vax) == 0 || (type.flags & big_endian) != 0);
}

/// What follows the head of a description.
void properties(Cursor& at, const Description& type, int depth) {
    constexpr std::uint64_t place_in_bytes = 4, float_places = 8, time_bits = 2;
    switch (type.of) {
        case Class::whole:
        case Class::bits: return at.skip(place_in_bytes);
        case Class::real: require_order(at, type); return at.skip(place_in_bytes + float_places);
        case Class::time: return at.skip(time_bits);
        case Class::characters: return;
        case Class::reference: return at.require((type.flags & 0xfU) < 2);
        case Class::opaque: return at.skip(type.flags & 0xffU);
        case Class::compound: return members(at, type, depth);
        case Class::enumeration: return names_and_values(at, type, depth);
        case Class::variable:
            at.require((type.flags & 0xfU) < 2);
            static_cast<void>(element(at, depth + 1));
            return;
        case Class::array: return extents(at, type, depth);
        default: at.require(false);
    }
}

std::uint64_t element(Cursor& at, int depth) {
    constexpr int deepest = 32;
    const std::uint32_t head = at.u32();
    const Description type{
        .version = head >> 4 & 0xfU, .of = head & 0xfU, .flags = head >> 8, .size = at.u32()};
    at.require(type.version >= 1 && type.version <= 3 && type.size > 0 && depth < deepest);
    properties(at, type, depth);
    return type.size;
}

}  // namespace

std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > nowhere / b ? nowhere : a * b;
}

std::uint64_t require_datatype(const Piece& description) {
    Cursor at(description);
    return element(at, 0);
}

Dataspace require_dataspace(const Piece& description) {
    enum Sort : unsigned { scalar, simple, null };
    constexpr unsigned has_most = 1;
    Cursor at(description);
    const unsigned version = at.u8();
    const unsigned dims = at.u8();
    const unsigned flags = at.u8();
    at.require((version == 1 || version == 2) && dims <= most_dims);
    const unsigned sort = at.u8();
    if (version == 1) at.skip(4);
    if (version == 2) at.require(sort <= null && (dims == 0 || sort == simple));
    Dataspace space{.dims = dims, .elements = version == 2 && sort == null ? 0U : 1U};
    bool none = false;
    for (unsigned d = 0; d < dims; ++d) {
        const std::uint64_t extent = at.u64();
        none = none || extent == 0;
        space.elements = bounded_product(space.elements, extent);
    }
    if (none) space.elements = 0;
    if ((flags & has_most) != 0) at.skip(8 * std::uint64_t{dims});
    return space;
}

}  // namespace civitas::hdf5
