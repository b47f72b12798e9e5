#pragma once
/// The program's version, as stored in the files it writes.
#include <string_view>

namespace civitas {

[[nodiscard]] std::string_view version() noexcept;

}  // namespace civitas
