#pragma once
/// Pictures that are part of a page.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace civitas::report {

/// Base 64 (RFC 4648, section 4).
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

/// An image of HTML that is the bytes of a file, of a type such as `image/png`; `alt` is what those
/// are told who do not see it. Scripts within it do not run.
[[nodiscard]] std::string embedded(std::string_view type, std::span<const std::byte> file,
                                   std::string_view alt);

}  // namespace civitas::report
