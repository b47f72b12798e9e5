#include "civitas/base/version.hpp"

namespace civitas {

std::string_view version() noexcept { return CIVITAS_VERSION; }

}  // namespace civitas
