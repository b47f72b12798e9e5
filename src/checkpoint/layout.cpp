#include "layout.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::checkpoint {

std::int64_t elements_of(const Shape& shape) {
    std::int64_t n = 1;
    for (const auto extent : shape) n *= extent;
    return n;
}

std::int64_t elements_of(const Box& box) {
    std::int64_t n = 1;
    for (const Range& range : box) n *= range.count;
    return n;
}

Box whole_box(const Shape& shape) {
    Box box;
    for (const auto extent : shape) box.push_back({0, extent});
    return box;
}

std::size_t bytes_of(hdf5::ElementType type) {
    ensure(type == hdf5::ElementType::f32 || type == hdf5::ElementType::f64,
           "arrays of checkpoints are fp32 or fp64");
    return type == hdf5::ElementType::f32 ? 4 : 8;
}

// Dims behind the last one that is cut make up one run; the ones before are counted through.
std::vector<FileRun> runs_of(const Shape& shape, const Box& box) {
    ensure(shape.size() == box.size(), "a box has a range per dim");
    if (elements_of(box) == 0) return {};
    std::size_t outer = shape.size();
    std::int64_t length = 1;
    while (outer > 0) {
        --outer;
        length *= box[outer].count;
        if (box[outer].count != shape[outer]) break;
    }
    std::vector<std::int64_t> at(outer, 0);
    std::vector<FileRun> runs;
    const std::int64_t count = elements_of(box) / length;
    for (std::int64_t r = 0; r < count; ++r) {
        std::int64_t begin = 0;
        for (std::size_t d = 0; d < shape.size(); ++d)
            begin = begin * shape[d] + box[d].begin + (d < outer ? at[d] : 0);
        runs.push_back({begin, r * length, length});
        for (std::size_t d = outer; d-- > 0;) {
            if (++at[d] < box[d].count) break;
            at[d] = 0;
        }
    }
    return runs;
}

std::vector<Box> pieces_of(const Box& box, std::int64_t most) {
    const std::int64_t total = elements_of(box);
    if (total == 0) return {};
    if (total <= most) return {box};
    const auto cut = std::find_if(box.begin(), box.end(), [](Range r) { return r.count > 1; });
    if (cut == box.end()) return {box};
    const std::int64_t row = total / cut->count;
    const std::int64_t rows = std::max<std::int64_t>(1, most / row);
    std::vector<Box> pieces;
    for (std::int64_t begin = cut->begin; begin < cut->end(); begin += rows) {
        Box piece = box;
        piece[static_cast<std::size_t>(cut - box.begin())] = {begin,
                                                              std::min(rows, cut->end() - begin)};
        for (Box& smaller : pieces_of(piece, most)) pieces.push_back(std::move(smaller));
    }
    return pieces;
}

std::size_t find_array(const std::vector<ArrayInfo>& arrays, const std::string& name) {
    const auto found = std::lower_bound(
        arrays.begin(), arrays.end(), name,
        [](const ArrayInfo& array, const std::string& wanted) { return array.name < wanted; });
    if (found == arrays.end() || found->name != name) return arrays.size();
    return static_cast<std::size_t>(found - arrays.begin());
}

std::size_t place_of(const std::vector<ArrayInfo>& arrays, const std::string& name) {
    const std::size_t place = find_array(arrays, name);
    ensure(place < arrays.size(), "the array is one of the plan");
    return place;
}

std::string to_string(const Shape& shape) {
    std::string words = "(";
    for (const auto extent : shape) words += (words.size() > 1 ? ", " : "") + text(extent);
    return words + ")";
}

}  // namespace civitas::checkpoint
