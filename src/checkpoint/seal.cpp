#include "seal.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/io/files.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace civitas::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t magic = 0x316c61657376696bULL;
constexpr std::uint64_t block = std::uint64_t{1} << 20;

// The bytes of an array in the file.
struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

// What stands at the very end, behind the table of extents.
struct Tail {
    std::uint64_t extents = 0;
    std::uint64_t hash = 0;
    std::uint64_t magic = 0;
};

std::vector<Extent> extents_of(const std::vector<ArrayInfo>& arrays) {
    std::vector<Extent> extents;
    for (const ArrayInfo& array : arrays)
        if (const auto n = static_cast<std::uint64_t>(elements_of(array.shape)); n > 0)
            extents.push_back({array.offset, n * bytes_of(array.type)});
    std::sort(extents.begin(), extents.end(),
              [](Extent a, Extent b) { return a.offset < b.offset; });
    return extents;
}

bool in_order(const std::vector<Extent>& extents, std::uint64_t end) {
    std::uint64_t at = 0;
    for (const Extent& extent : extents) {
        if (extent.offset < at || extent.offset > end || extent.bytes > end - extent.offset)
            return false;
        at = extent.offset + extent.bytes;
    }
    return true;
}

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before) {
    return mix64(before, name_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

// Of all bytes in [0, end) outside the extents, and of the extents.
std::uint64_t hash_of(const io::RawFile& file, const std::vector<Extent>& extents,
                      std::uint64_t end) {
    std::uint64_t hash = hash_of(std::as_bytes(std::span(extents)), end);
    std::vector<std::byte> bytes;
    std::uint64_t at = 0;
    const auto add_until = [&](std::uint64_t stop) {
        for (; at < stop; at += bytes.size()) {
            bytes.resize(std::min(block, stop - at));
            file.read_at(at, bytes);
            hash = hash_of(bytes, hash);
        }
    };
    for (const Extent& extent : extents) {
        add_until(extent.offset);
        at = extent.offset + extent.bytes;
    }
    add_until(end);
    return hash;
}

}  // namespace

std::uint64_t seal_bytes(const std::vector<ArrayInfo>& arrays) {
    return extents_of(arrays).size() * sizeof(Extent) + sizeof(Tail);
}

void add_seal(const fs::path& file, std::uint64_t end, const std::vector<ArrayInfo>& arrays) {
    const auto raw = io::RawFile::open_existing_to_write(file);
    const auto extents = extents_of(arrays);
    const std::array tail{Tail{extents.size(), hash_of(raw, extents, end), magic}};
    raw.write_at(end, std::as_bytes(std::span(extents)));
    raw.write_at(end + extents.size() * sizeof(Extent), std::as_bytes(std::span(tail)));
}

Seal check_seal(const fs::path& file) {
    const auto raw = io::RawFile::open_to_read(file);
    const std::uint64_t size = raw.size();
    std::array<Tail, 1> tail{};
    if (size < sizeof(Tail)) return Seal::missing;
    const std::uint64_t before_tail = size - sizeof(Tail);
    raw.read_at(before_tail, std::as_writable_bytes(std::span(tail)));
    if (tail[0].magic != magic) return Seal::missing;
    if (tail[0].extents > before_tail / sizeof(Extent)) return Seal::broken;
    std::vector<Extent> extents(tail[0].extents);
    const std::uint64_t end = before_tail - extents.size() * sizeof(Extent);
    raw.read_at(end, std::as_writable_bytes(std::span(extents)));
    const bool whole = in_order(extents, end) && hash_of(raw, extents, end) == tail[0].hash;
    return whole ? Seal::whole : Seal::broken;
}

}  // namespace civitas::checkpoint
