#include "layout.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace civitas::checkpoint {
namespace {

bool overlap(const Box& a, const Box& b) {
    for (std::size_t d = 0; d < a.size(); ++d)
        if (a[d].end() <= b[d].begin || b[d].end() <= a[d].begin) return false;
    return true;
}

std::ostream& operator<<(std::ostream& out, const ArrayInfo& a) {
    out << a.name << ' ' << static_cast<int>(a.type) << ' ' << a.offset << ' ' << a.checksum << ' '
        << a.shape.size();
    for (const auto extent : a.shape) out << ' ' << extent;
    return out;
}

std::istream& operator>>(std::istream& in, ArrayInfo& a) {
    int type = 0;
    std::size_t dims = 0;
    in >> a.name >> type >> a.offset >> a.checksum >> dims;
    a.type = static_cast<io::ElementType>(type);
    a.shape.resize(dims);
    for (auto& extent : a.shape) in >> extent;
    return in;
}

std::ostream& operator<<(std::ostream& out, const Part& p) {
    out << p.array << ' ' << p.writes;
    for (const Range& range : p.box) out << ' ' << range.begin << ' ' << range.count;
    return out;
}

std::istream& operator>>(std::istream& in, Part& p) {
    in >> p.array >> p.writes;
    p.box.resize(p.array.shape.size());
    for (Range& range : p.box) in >> range.begin >> range.count;
    return in;
}

template <class Item>
std::string lines_of(const std::vector<Item>& items) {
    std::ostringstream out;
    for (const Item& item : items) out << item << '\n';
    return out.str();
}

template <class Item>
std::vector<Item> items_from(const std::string& lines) {
    std::istringstream in(lines);
    std::vector<Item> items;
    for (Item item; in >> item;) items.push_back(item);
    return items;
}

void require_same_array(const ArrayInfo& a, const ArrayInfo& b) {
    if (a.shape != b.shape)
        throw Error(text("array ", a.name, " is ", to_string(a.shape), " on one rank and ",
                         to_string(b.shape), " on another"));
    if (a.type != b.type) throw Error(text("array ", a.name, " has two element types"));
}

void require_exact_cover(const ArrayInfo& array, const std::vector<const Part*>& writers) {
    std::int64_t covered = 0;
    for (const Part* part : writers) covered += elements_of(part->box);
    const std::int64_t wanted = elements_of(array.shape);
    if (covered != wanted)
        throw Error(text("array ", array.name, " ", to_string(array.shape), " has ", wanted,
                         " elements, its shards hold ", covered));
    for (auto a = writers.begin(); a != writers.end(); ++a)
        for (auto b = a + 1; b != writers.end(); ++b)
            if (overlap((*a)->box, (*b)->box) && elements_of((*a)->box) > 0)
                throw Error(text("two shards of array ", array.name, " overlap"));
}

}  // namespace

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

std::size_t bytes_of(io::ElementType type) {
    expect(type == io::ElementType::f32 || type == io::ElementType::f64,
           "arrays of checkpoints are fp32 or fp64");
    return type == io::ElementType::f32 ? 4 : 8;
}

// Dims behind the last one that is cut make up one run; the ones before are counted through.
std::vector<FileRun> runs_of(const Shape& shape, const Box& box) {
    expect(shape.size() == box.size(), "a box has a range per dim");
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

std::string to_text(const std::vector<ArrayInfo>& arrays) { return lines_of(arrays); }
std::string to_text(const std::vector<Part>& parts) { return lines_of(parts); }
std::vector<ArrayInfo> arrays_from(const std::string& lines) {
    return items_from<ArrayInfo>(lines);
}
std::vector<Part> parts_from(const std::string& lines) { return items_from<Part>(lines); }

std::vector<ArrayInfo> arrays_of(const std::vector<Part>& parts) {
    std::map<std::string, std::vector<const Part*>> writers;
    std::map<std::string, ArrayInfo> arrays;
    for (const Part& part : parts) {
        require_same_array(arrays.try_emplace(part.array.name, part.array).first->second,
                           part.array);
        auto& of_array = writers[part.array.name];
        if (part.writes) of_array.push_back(&part);
    }
    std::vector<ArrayInfo> sorted;
    for (const auto& [name, array] : arrays) {
        require_exact_cover(array, writers[name]);
        sorted.push_back(array);
    }
    return sorted;
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
    expect(place < arrays.size(), "the array is one of the plan");
    return place;
}

std::string to_string(const Shape& shape) {
    std::string words = "(";
    for (const auto extent : shape) words += (words.size() > 1 ? ", " : "") + text(extent);
    return words + ")";
}

}  // namespace civitas::checkpoint
