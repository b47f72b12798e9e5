#pragma once
/// Tiles that tests draw by letters.
#include "civitas/quality/class_map.hpp"
#include "civitas/quality/mask.hpp"

#include <string>
#include <vector>

namespace civitas::test {

/// A tile of these rows, as many as each has letters: `#` building, `+` road, others other.
inline quality::ClassMap drawn(const std::vector<std::string>& rows, double pixel_metres = 1) {
    quality::ClassMap map{static_cast<std::int64_t>(rows.size()), pixel_metres, {}};
    for (const std::string& row : rows)
        for (const char c : row)
            map.classes.push_back(c == '#'   ? LandClass::building
                                  : c == '+' ? LandClass::road
                                             : LandClass::other);
    return map;
}

/// The pixels that are `#`.
inline quality::Mask mask_of(const std::vector<std::string>& rows) {
    return {drawn(rows), LandClass::building};
}

/// Rows of dots below and beside, so that the tile has `pixels` a side.
inline std::vector<std::string> padded(std::vector<std::string> rows, std::size_t pixels) {
    for (std::string& row : rows) row.resize(pixels, '.');
    rows.resize(pixels, std::string(pixels, '.'));
    return rows;
}

}  // namespace civitas::test
