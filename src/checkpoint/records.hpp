#pragma once
/// What ranks tell each other of checkpoints, as bytes; reading back gives the same. No bytes at
/// all are an empty item.
#include "layout.hpp"

#include <cstddef>
#include <vector>

namespace civitas::checkpoint {

using Record = std::vector<std::byte>;

[[nodiscard]] Record packed(const std::vector<ArrayInfo>& arrays);
[[nodiscard]] Record packed(const std::vector<Part>& parts);
[[nodiscard]] Record packed(const Contents& contents);
[[nodiscard]] std::vector<ArrayInfo> arrays_from(const Record& record);
[[nodiscard]] std::vector<Part> parts_from(const Record& record);
[[nodiscard]] Contents contents_from(const Record& record);

}  // namespace civitas::checkpoint
