// A build without GDAL has no readers of maps.
#include "kinds.hpp"

namespace civitas::fuzz {

std::vector<Kind> map_kinds() { return {}; }
void write_map_seeds(const std::filesystem::path& folder) { static_cast<void>(folder); }

}  // namespace civitas::fuzz
