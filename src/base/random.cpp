#include "civitas/base/random.hpp"

#include "civitas/base/vectorised.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace civitas {
namespace {

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

double open_unit(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t bits = (std::uint64_t{a} << 21) ^ (std::uint64_t{b} >> 11);
    return (static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) + 0.5) * 0x1p-53;
}

/// The sum of the four bytes of a word, moved to a mean of 0 and scaled.
CIVITAS_VECTOR_BODY float sum_of_bytes(std::uint32_t w, float scale) {
    constexpr float mean = 4 * 127.5F;
    const std::uint32_t sum = (w & 255) + ((w >> 8) & 255) + ((w >> 16) & 255) + (w >> 24);
    return (static_cast<float>(static_cast<int>(sum)) - mean) * scale;
}

/// Blocks of Philox that are computed together.
constexpr std::size_t lanes = 16;

/// Writes the sums of bytes of the 4 * lanes words of blocks from i on.
CIVITAS_VECTORISED void vector_of_sums(std::array<std::uint32_t, 2> key,
                                       std::array<std::uint32_t, 2> high_words, std::uint64_t i,
                                       float scale, float* to) {
    std::array<std::array<std::uint32_t, lanes>, 4> words;
    for (std::size_t l = 0; l < lanes; ++l) {
        const r123::Philox4x32::ctr_type c{{low(i + l), high(i + l), high_words[0], high_words[1]}};
        const auto block = r123::Philox4x32{}(c, {{key[0], key[1]}});
        for (std::size_t j = 0; j < 4; ++j) words[j][l] = block[j];
    }
    for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t j = 0; j < 4; ++j) to[4 * l + j] = sum_of_bytes(words[j][l], scale);
}

}  // namespace

Block philox(const std::array<std::uint32_t, 2>& key, const Block& counter) noexcept {
    const r123::Philox4x32::ctr_type c{{counter[0], counter[1], counter[2], counter[3]}};
    const r123::Philox4x32::key_type k{{key[0], key[1]}};
    const auto out = r123::Philox4x32{}(c, k);
    return {out[0], out[1], out[2], out[3]};
}

// The name does not fit beside the element number in one counter, so it is folded into the key by
// two blocks of Philox itself.
RandomStream::RandomStream(Seed seed, Purpose purpose, StreamName name) noexcept {
    const std::uint64_t s = index(seed);
    const Block a =
        philox({low(s), high(s)}, {index(purpose), 0, low(name.major), high(name.major)});
    const Block b = philox({a[0], a[1]}, {low(name.minor), high(name.minor), a[2], a[3]});
    key_ = {b[0], b[1]};
    high_ = {b[2], b[3]};
}

RandomStream::RandomStream(const Block& words) noexcept
    : key_{words[0], words[1]}, high_{words[2], words[3]} {}

Block RandomStream::block(std::uint64_t i) const noexcept {
    return philox(key_, {low(i), high(i), high_[0], high_[1]});
}

double RandomStream::uniform(std::uint64_t i) const noexcept {
    const Block b = block(i / 2);
    return i % 2 == 0 ? open_unit(b[0], b[1]) : open_unit(b[2], b[3]);
}

std::uint64_t RandomStream::below(std::uint64_t bound, std::uint64_t i) const noexcept {
    const Block b = block(i);
    const std::uint64_t word = (std::uint64_t{b[0]} << 32) | b[1];
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(word) * bound) >> 64);
}

void RandomStream::normals(std::uint64_t first, std::span<double> out) const noexcept {
    for (std::size_t k = 0; k < out.size(); ++k) {
        const std::uint64_t i = first + k;
        const Block b = block(i / 2);
        const double radius = std::sqrt(-2.0 * std::log(open_unit(b[0], b[1])));
        const double angle = 2.0 * std::numbers::pi * open_unit(b[2], b[3]);
        out[k] = radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
        if (i % 2 == 0 && k + 1 < out.size()) out[++k] = radius * std::sin(angle);
    }
}

void RandomStream::fast_normals(std::uint64_t first, std::span<float> out) const noexcept {
    const float scale = 1.0F / std::sqrt(4.0F * (256.0F * 256.0F - 1.0F) / 12.0F);
    std::size_t k = 0;
    const auto up_to = [&](std::size_t end) {
        for (; k < end; ++k) {
            const std::uint64_t i = first + k;
            out[k] = sum_of_bytes(block(i / 4)[i % 4], scale);
        }
    };
    up_to(std::min<std::size_t>(out.size(), (4 - first % 4) % 4));
    for (; out.size() - k >= 4 * lanes; k += 4 * lanes)
        vector_of_sums(key_, high_, (first + k) / 4, scale, out.data() + k);
    up_to(out.size());
}

std::uint64_t name_hash(std::string_view name) noexcept {
    std::uint64_t h = 0xcbf29ce484222325ULL;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return h;
}

Permutation::Permutation(std::uint64_t size, const RandomStream& key) noexcept
    : size_(size), half_bits_((static_cast<int>(std::bit_width(size - 1)) + 1) / 2) {
    if (half_bits_ == 0) half_bits_ = 1;
    for (std::size_t r = 0; r < keys_.size(); ++r) {
        const Block b = key.block(r);
        keys_[r] = {b[0], b[1]};
    }
}

std::uint64_t Permutation::encrypt(std::uint64_t x) const noexcept {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = x >> half_bits_;
    std::uint64_t right = x & mask;
    for (const auto& key : keys_) {
        const Block b = philox(key, {low(right), high(right), 0, 0});
        const std::uint64_t mixed = ((std::uint64_t{b[0]} << 32) | b[1]) & mask;
        left = std::exchange(right, left ^ mixed);
    }
    return (left << half_bits_) | right;
}

std::uint64_t Permutation::operator()(std::uint64_t position) const noexcept {
    std::uint64_t x = encrypt(position);
    while (x >= size_) x = encrypt(x);
    return x;
}

}  // namespace civitas
