#pragma once
/// Who holds which box of which array: pure functions of integers, 64-bit throughout.
#include "civitas/checkpoint/checkpoint.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace civitas::checkpoint {

using Shape = std::vector<std::int64_t>;
using Box = std::vector<Range>;

/// A box of an array on some rank.
struct Part {
    ArrayInfo array;
    Box box;
    bool writes = true;
};

[[nodiscard]] std::int64_t elements_of(const Shape& shape);
[[nodiscard]] std::int64_t elements_of(const Box& box);
[[nodiscard]] Box whole_box(const Shape& shape);
[[nodiscard]] std::size_t bytes_of(hdf5::ElementType type);

/// The box cut, in order, into boxes of at most `most` elements (or one) that are each contiguous
/// within it.
[[nodiscard]] std::vector<Box> pieces_of(const Box& box, std::int64_t most);

/// Where `name` is among arrays sorted by name; their number when it is not there.
[[nodiscard]] std::size_t find_array(const std::vector<ArrayInfo>& arrays, const std::string& name);
/// The same. Precondition: it is there.
[[nodiscard]] std::size_t place_of(const std::vector<ArrayInfo>& arrays, const std::string& name);

/// `(1024, 512, 4, 4)`
[[nodiscard]] std::string to_string(const Shape& shape);

}  // namespace civitas::checkpoint
