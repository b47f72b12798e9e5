#include "civitas/quality/class_map.hpp"

#include <array>

namespace civitas::quality {

ImageSet one_hot(std::span<const ClassMap> maps) {
    constexpr std::array channels{Cover::building, Cover::road, Cover::other};
    ImageSet set;
    set.channels = 3;
    for (const ClassMap& map : maps) {
        ++set.count;
        set.pixels = map.pixels;
        for (const Cover channel : channels)
            for (const Cover cover : map.covers)
                set.values_BCHW.push_back(cover == channel ? 1.0F : -1.0F);
    }
    return set;
}

}  // namespace civitas::quality
