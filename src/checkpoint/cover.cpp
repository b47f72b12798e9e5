#include "cover.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <map>

namespace civitas::checkpoint {
namespace {

// A corner of a box, and +1, or -1 where an odd number of ranges ends in it.
struct Corner {
    Shape at;  ///< in the dims that some box cuts
    int sign = 1;
};

std::vector<std::size_t> cut_dims(const Shape& shape, const std::vector<const Box*>& boxes) {
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (std::any_of(boxes.begin(), boxes.end(),
                        [&](const Box* box) { return (*box)[d].count != shape[d]; }))
            dims.push_back(d);
    return dims;
}

void add_corners(std::vector<Corner>& corners, const Box& box, const std::vector<std::size_t>& dims,
                 int sign) {
    if (elements_of(box) == 0) return;
    for (std::size_t ends = 0; ends < (std::size_t{1} << dims.size()); ++ends) {
        Corner corner{{}, sign};
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const bool end = (ends >> i & 1) != 0;
            corner.at.push_back(end ? box[dims[i]].end() : box[dims[i]].begin);
            if (end) corner.sign = -corner.sign;
        }
        corners.push_back(std::move(corner));
    }
}

bool add_up_to_nothing(std::vector<Corner>& corners) {
    std::sort(corners.begin(), corners.end(),
              [](const Corner& a, const Corner& b) { return a.at < b.at; });
    for (std::size_t i = 0; i < corners.size();) {
        const Shape& at = corners[i].at;
        int sum = 0;
        for (; i < corners.size() && corners[i].at == at; ++i) sum += corners[i].sign;
        if (sum != 0) return false;
    }
    return true;
}

void require_same_array(const ArrayInfo& a, const ArrayInfo& b) {
    if (a.shape != b.shape)
        throw Error(text("array ", a.name, " is ", to_string(a.shape), " on one rank and ",
                         to_string(b.shape), " on another"));
    if (a.type != b.type) throw Error(text("array ", a.name, " has two element types"));
}

}  // namespace

// How many boxes lie over an element changes at their sides alone, so signed corners tell it
// everywhere: those of the boxes are those of the whole array just when it is one everywhere.
std::size_t require_exact_cover(const ArrayInfo& array, const std::vector<const Box*>& boxes) {
    std::int64_t covered = 0;
    for (const Box* box : boxes) covered += elements_of(*box);
    const std::int64_t wanted = elements_of(array.shape);
    if (covered != wanted)
        throw Error(text("array ", array.name, " ", to_string(array.shape), " has ", wanted,
                         " elements, its shards hold ", covered));
    const auto dims = cut_dims(array.shape, boxes);
    std::vector<Corner> corners;
    for (const Box* box : boxes) add_corners(corners, *box, dims, 1);
    add_corners(corners, whole_box(array.shape), dims, -1);
    if (!add_up_to_nothing(corners))
        throw Error(text("two shards of array ", array.name, " overlap"));
    return corners.size();
}

std::vector<ArrayInfo> arrays_of(const std::vector<Part>& parts) {
    struct Held {
        ArrayInfo array;
        std::vector<const Box*> written;
    };
    std::map<std::string, Held> held;
    for (const Part& part : parts) {
        Held& same = held.try_emplace(part.array.name, Held{part.array, {}}).first->second;
        require_same_array(same.array, part.array);
        if (part.writes) same.written.push_back(&part.box);
    }
    std::vector<ArrayInfo> arrays;
    for (const auto& [name, one] : held) {
        require_exact_cover(one.array, one.written);
        arrays.push_back(one.array);
    }
    return arrays;
}

}  // namespace civitas::checkpoint
