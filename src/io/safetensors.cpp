#include "civitas/io/safetensors.hpp"

#include <array>
#include <bit>
#include <nlohmann/json.hpp>

namespace civitas::io {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t length_bytes = 8;

/// The header, with blanks at its end so that the values begin at a multiple of eight bytes.
std::string header_of(const std::map<std::string, std::string>& about,
                      const std::vector<FloatArray>& arrays) {
    ordered_json header;
    header["__metadata__"] = about;
    std::uint64_t begin = 0;
    for (const FloatArray& array : arrays) {
        const std::uint64_t end = begin + array.values.size_bytes();
        header[array.name] = {
            {"dtype", "F32"}, {"shape", array.shape}, {"data_offsets", {begin, end}}};
        begin = end;
    }
    std::string words = header.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    words.resize((words.size() + length_bytes - 1) / length_bytes * length_bytes, ' ');
    return words;
}

std::array<std::byte, length_bytes> little_endian(std::uint64_t number) {
    std::array<std::byte, length_bytes> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes.at(i) = static_cast<std::byte>(number >> (8 * i));
    return bytes;
}

}  // namespace

void write_safetensors(const std::filesystem::path& file,
                       const std::map<std::string, std::string>& about,
                       const std::vector<FloatArray>& arrays, Replace replace) {
    static_assert(std::endian::native == std::endian::little, "values are written as they lie");
    AtomicFile whole(file, replace);
    const RawFile part = RawFile::open_to_write(whole.part());
    std::uint64_t at = 0;
    const auto put = [&](std::span<const std::byte> bytes) {
        part.write_at(at, bytes);
        at += bytes.size();
    };
    const std::string header = header_of(about, arrays);
    put(little_endian(header.size()));
    put(std::as_bytes(std::span<const char>(header)));
    for (const FloatArray& array : arrays) put(std::as_bytes(array.values));
    whole.commit();
}

}  // namespace civitas::io
