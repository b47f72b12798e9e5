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

std::string hash_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(text("cannot read ", file));
    const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
    XXH3_128bits_reset(state.get());
    std::vector<char> buffer(std::size_t{1} << 20);
    while (in) {
        in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        XXH3_128bits_update(state.get(), buffer.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) throw Error(text("reading ", file, " failed"));
    const XXH128_hash_t h = XXH3_128bits_digest(state.get());
    return hex(h.high64) + hex(h.low64);
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
