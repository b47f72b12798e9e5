#pragma once
/// What the channels of a coded tile mean.
#include <string_view>

namespace civitas {

/// `colour`: channels building, road, other, each -1 or +1; `grey`: one channel, other -1, road 0,
/// building +1; `rgb`: an image's red, green, blue, normalised as torchvision's models expect.
enum class Coding { colour, grey, rgb };

[[nodiscard]] Coding parse_coding(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(Coding coding);
[[nodiscard]] constexpr int channels_of(Coding coding) { return coding == Coding::grey ? 1 : 3; }

}  // namespace civitas
