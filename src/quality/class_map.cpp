#include "civitas/quality/class_map.hpp"

#include <array>

namespace civitas::quality {

ImageSet one_hot(std::span<const ClassMap> maps) {
    constexpr std::array channels{LandClass::building, LandClass::road, LandClass::other};
    ImageSet set;
    set.channels = 3;
    for (const ClassMap& map : maps) {
        ++set.count;
        set.pixels = map.pixels;
        for (const LandClass channel : channels)
            for (const LandClass land_class : map.classes)
                set.values_BCHW.push_back(land_class == channel ? 1.0F : -1.0F);
    }
    return set;
}

}  // namespace civitas::quality
