#include "protobuf.hpp"

#include <bit>

namespace civitas::run_report {
namespace {

enum Wire : std::uint32_t { varint_wire = 0, eight_bytes = 1, length = 2, four_bytes = 5 };

constexpr std::uint64_t tag(std::uint32_t field, Wire wire) { return field << 3U | wire; }

template <class T>
std::string_view raw(const T& value) {
    static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

void Message::varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
}

Message& Message::integer(std::uint32_t field, std::uint64_t value) {
    varint(tag(field, varint_wire));
    varint(value);
    return *this;
}

Message& Message::real(std::uint32_t field, double value) {
    varint(tag(field, eight_bytes));
    bytes_ += raw(value);
    return *this;
}

Message& Message::real(std::uint32_t field, float value) {
    varint(tag(field, four_bytes));
    bytes_ += raw(value);
    return *this;
}

Message& Message::words(std::uint32_t field, std::string_view bytes) {
    varint(tag(field, length));
    varint(bytes.size());
    bytes_ += bytes;
    return *this;
}

}  // namespace civitas::run_report
