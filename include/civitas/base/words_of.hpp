#pragma once
/// What exceptions say, in words for people.
#include <exception>
#include <string>

namespace civitas {

/// what() of an exception, or of one of std::filesystem the names, the system's words and a hint.
[[nodiscard]] std::string words_of(const std::exception& error);

}  // namespace civitas
