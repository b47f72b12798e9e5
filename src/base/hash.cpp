#include "civitas/base/hash.hpp"

#include "civitas/base/error.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <array>
#include <bit>
#include <fstream>
#include <iomanip>
#include <memory>
#include <vector>

namespace civitas {
namespace {

template <class Bits, class T>
std::uint64_t sum_of_mixes(std::uint64_t first, std::span<const T> values) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        sum += mix64(first + i, std::bit_cast<Bits>(values[i]));
    return sum;
}

struct FreeState {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
};

}  // namespace

struct RunningHash::State {
    std::unique_ptr<XXH3_state_t, FreeState> xxh{XXH3_createState()};
};

RunningHash::RunningHash() : state_(std::make_unique<State>()) {
    XXH3_128bits_reset(state_->xxh.get());
}
RunningHash::RunningHash(RunningHash&&) noexcept = default;
RunningHash::~RunningHash() = default;

void RunningHash::add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_->xxh.get(), bytes.data(), bytes.size());
}

std::string RunningHash::digits() const {
    const XXH128_hash_t h = XXH3_128bits_digest(state_->xxh.get());
    return hex(h.high64) + hex(h.low64);
}

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before) noexcept {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), before);
}

std::string hash_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(text("cannot read ", file));
    RunningHash hash;
    std::vector<char> buffer(std::size_t{1} << 20);
    while (in) {
        in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        hash.add(std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(in.gcount()))));
    }
    if (in.bad()) throw Error(text("reading ", file, " failed"));
    return hash.digits();
}

std::uint64_t name_hash(std::string_view name) noexcept {
    std::uint64_t h = 0xcbf29ce484222325ULL;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return h;
}

std::uint64_t checksum(std::uint64_t first, std::span<const float> values) noexcept {
    return sum_of_mixes<std::uint32_t>(first, values);
}

std::uint64_t checksum(std::uint64_t first, std::span<const double> values) noexcept {
    return sum_of_mixes<std::uint64_t>(first, values);
}

std::string hex(std::uint64_t value) {
    std::ostringstream out;
    out << std::hex << std::setw(16) << std::setfill('0') << value;
    return out.str();
}

}  // namespace civitas
