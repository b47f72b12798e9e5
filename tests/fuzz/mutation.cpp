#include "mutation.hpp"

#include "civitas/random/stream.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace civitas::fuzz {
namespace {

class Dice {
public:
    explicit Dice(CaseNumber which)
        : stream_(Seed{which.seed}, Purpose::survey, {.major = which.number}) {}
    std::size_t below(std::size_t bound) {
        return static_cast<std::size_t>(stream_.below(std::max<std::size_t>(bound, 1), next_++));
    }

private:
    RandomStream stream_;
    std::uint64_t next_ = 0;
};

/// A place in the file: of a byte that is not zero, if one is found soon.
std::size_t place_in(const Bytes& bytes, Dice& dice) {
    std::size_t at = dice.below(bytes.size());
    for (int tries = 0; tries < 20 && bytes[at] == 0; ++tries) at = dice.below(bytes.size());
    return at;
}

void put_number(Bytes& bytes, Dice& dice) {
    constexpr std::array<std::uint64_t, 10> extremes{0,
                                                     1,
                                                     0x7f,
                                                     0xff,
                                                     0xffff,
                                                     0x7fffffff,
                                                     0xffffffff,
                                                     0x7fffffffffffffff,
                                                     ~std::uint64_t{0},
                                                     std::uint64_t{1} << 40};
    const std::uint64_t value = extremes.at(dice.below(extremes.size()));
    const std::size_t at = place_in(bytes, dice);
    const std::size_t width = std::min(std::size_t{1} << dice.below(4), bytes.size() - at);
    for (std::size_t i = 0; i < width; ++i)
        bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

struct Block {
    std::size_t at = 0;
    std::size_t length = 0;
};

/// Short ones more often; in a text every second one is a line.
Block block_of(const Bytes& bytes, bool text, Dice& dice) {
    const std::size_t at = place_in(bytes, dice);
    if (!text || dice.below(2) == 0)
        return {at, std::min(1 + dice.below(std::size_t{1} << dice.below(12)), bytes.size() - at)};
    const auto before = bytes.rfind('\n', at);
    const std::size_t begin = before == Bytes::npos || before == at ? 0 : before + 1;
    const auto end = std::min(bytes.find('\n', at), bytes.size() - 1);
    return {begin, end + 1 - begin};
}

void change(Bytes& bytes, bool text, Dice& dice) {
    const Block block = block_of(bytes, text, dice);
    const Bytes piece = bytes.substr(block.at, block.length);
    switch (dice.below(8)) {
        case 0:
        case 1:
        case 2: bytes[place_in(bytes, dice)] ^= static_cast<char>(1U << dice.below(8)); break;
        case 3: put_number(bytes, dice); break;
        case 4: {  // two blocks swap
            const std::size_t to = place_in(bytes, dice);
            const std::size_t length = std::min(block.length, bytes.size() - to);
            const Bytes other = bytes.substr(to, length);
            bytes.replace(to, length, piece.substr(0, length));
            bytes.replace(block.at, length, other);
            break;
        }
        case 5: bytes.insert(place_in(bytes, dice), piece); break;
        case 6: bytes.erase(block.at, block.length); break;
        default:
            if (dice.below(4) == 0) bytes.resize(dice.below(bytes.size()));
            bytes += static_cast<char>(dice.below(256));
    }
    if (bytes.empty()) bytes += '\0';
}

}  // namespace

Bytes mutated(Bytes bytes, bool text, CaseNumber which) {
    Dice dice(which);
    for (std::size_t changes = 1 + dice.below(4); changes > 0; --changes) change(bytes, text, dice);
    return bytes;
}

}  // namespace civitas::fuzz
