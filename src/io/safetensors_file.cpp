#include "civitas/io/safetensors_file.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace civitas::io {
namespace {

using nlohmann::json;

constexpr std::uint64_t prefix_bytes = 8, most_header = std::uint64_t{16} << 20;

[[noreturn]] void refuse(const RawFile& file, const std::string& why) {
    throw Error(text(file.name(), " is no safetensors file: ", why),
                Hint{"was it copied whole? A state dict of PyTorch becomes one by "
                     "safetensors.torch.save_file"});
}

std::uint64_t bytes_of(const RawFile& file, const std::string& type) {
    static const std::map<std::string, std::uint64_t> sizes{
        {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
        {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U8", 1},   {"BOOL", 1}};
    const auto found = sizes.find(type);
    if (found == sizes.end()) refuse(file, text("type '", printable(type), "' of an array"));
    return found->second;
}

/// Throws Error for JSON that is none, or has a name twice at its top. What is nested deeper than
/// headers are is not kept.
json parsed(const RawFile& file, const std::string& words) {
    constexpr int deepest = 3;
    std::set<std::string> names;
    std::string twice;
    const auto seen = [&](int depth, json::parse_event_t event, json& value) {
        if (depth > deepest) return false;
        if (event == json::parse_event_t::key && depth == 1 &&
            !names.insert(value.get<std::string>()).second)
            twice = value.get<std::string>();
        return true;
    };
    json header = json::parse(words, seen, false);
    if (!twice.empty()) refuse(file, text("array '", printable(twice), "' is there twice"));
    if (!header.is_object()) refuse(file, "its header is no JSON object");
    return header;
}

std::uint64_t natural(const RawFile& file, const json& number) {
    if (!number.is_number_unsigned()) refuse(file, "a length or offset that is no whole number");
    return number.get<std::uint64_t>();
}

StoredArray array_of(const RawFile& file, const std::string& name, const json& words) {
    const std::string called = text("array '", printable(name), "'");
    if (!words.is_object() || !words.contains("dtype") || !words["dtype"].is_string() ||
        !words.contains("shape") || !words["shape"].is_array() || !words.contains("data_offsets") ||
        !words["data_offsets"].is_array() || words["data_offsets"].size() != 2)
        refuse(file, called + " without dtype, shape and two data_offsets");
    StoredArray array{.type = words["dtype"].get<std::string>(), .shape = {}};
    constexpr std::uint64_t most = std::uint64_t{1} << 48;
    std::uint64_t bytes = bytes_of(file, array.type);
    for (const json& extent : words["shape"]) {
        const std::uint64_t n = natural(file, extent);
        if (n > most || (n > 0 && bytes > most / n)) refuse(file, called + " is too large");
        bytes *= n;
        array.shape.push_back(static_cast<std::int64_t>(n));
    }
    array.begin = natural(file, words["data_offsets"][0]);
    array.end = natural(file, words["data_offsets"][1]);
    if (array.end < array.begin || array.end - array.begin != bytes)
        refuse(file,
               text(called, " of ", bytes, " bytes lies at ", array.begin, " to ", array.end));
    return array;
}

void require_no_gaps(const RawFile& file, const std::map<std::string, StoredArray>& arrays,
                     std::uint64_t bytes) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
    for (const auto& [name, array] : arrays) places.emplace_back(array.begin, array.end);
    std::sort(places.begin(), places.end());
    std::uint64_t at = 0;
    for (const auto& [begin, end] : places) {
        if (begin != at)
            refuse(file, text("an array begins at ", begin, ", the one before ends at ", at));
        at = end;
    }
    if (at != bytes)
        refuse(file, text("its arrays end at ", at, ", there are ", bytes, " bytes of values"));
}

float half(std::uint16_t bits) {
    constexpr int bias = 15, fraction_bits = 10;
    const int exponent = (bits >> fraction_bits) & 31;
    const int fraction = bits & 1023;
    const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
    if (exponent == 31)
        return sign * (fraction == 0 ? std::numeric_limits<float>::infinity()
                                     : std::numeric_limits<float>::quiet_NaN());
    const int whole = exponent == 0 ? fraction : fraction + 1024;
    return sign *
           std::ldexp(static_cast<float>(whole), std::max(exponent, 1) - bias - fraction_bits);
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& name) {
    static_assert(std::endian::native == std::endian::little, "values are read as they lie");
    SafetensorsFile opened(RawFile::open_to_read(name));
    const RawFile& file = opened.file_;
    const std::uint64_t size = file.size();
    std::uint64_t length = 0;
    if (size < prefix_bytes) refuse(file, text("it has ", size, " bytes"));
    file.read_at(0, std::as_writable_bytes(std::span(&length, 1)));
    if (length > most_header || length > size - prefix_bytes)
        refuse(file, text("its header would have ", length, " bytes, of ", size, " of the file"));
    std::string words(length, ' ');
    file.read_at(prefix_bytes, std::as_writable_bytes(std::span(words)));
    const json header = parsed(file, words);
    for (const auto& [array, described] : header.items())
        if (array != "__metadata__")
            opened.arrays_[array] = array_of(file, array, described);
        else
            for (const auto& [word, value] : described.items())
                if (value.is_string()) opened.about_[word] = value.get<std::string>();
    opened.values_at_ = prefix_bytes + length;
    require_no_gaps(file, opened.arrays_, size - opened.values_at_);
    return opened;
}

std::vector<float> SafetensorsFile::floats(const std::string& name) const {
    const StoredArray& array = arrays_.at(name);
    const bool wide = array.type == "F32";
    if (!wide && array.type != "F16" && array.type != "BF16")
        throw Error(text(file_.name(), ": array '", printable(name), "' is of ", array.type),
                    Hint{"weights of F32, F16 or BF16"});
    const std::uint64_t bytes = array.end - array.begin;
    std::vector<float> values(bytes / (wide ? sizeof(float) : sizeof(std::uint16_t)));
    if (wide) {
        file_.read_at(values_at_ + array.begin, std::as_writable_bytes(std::span(values)));
        return values;
    }
    std::vector<std::uint16_t> bits(values.size());
    file_.read_at(values_at_ + array.begin, std::as_writable_bytes(std::span(bits)));
    for (std::size_t i = 0; i < bits.size(); ++i)
        values[i] = array.type == "F16" ? half(bits[i])
                                        : std::bit_cast<float>(std::uint32_t{bits[i]} << 16);
    return values;
}

}  // namespace civitas::io
