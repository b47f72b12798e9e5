#include "civitas/random/stream.hpp"

#include "words.hpp"

#include <Random123/philox.h>

namespace civitas {

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

}  // namespace civitas
