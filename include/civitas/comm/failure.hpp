#pragma once
/// What an exception says to people: one line, whoever has thrown it.
#include <exception>
#include <string>

namespace civitas::comm {

/// True where a rank has too little memory, of the host or of a GPU.
[[nodiscard]] bool lacks_memory(const std::exception& error);

/// True where an error says nothing of what a file holds: a rank has too little memory, or the
/// system does not let it read the file.
[[nodiscard]] bool is_no_damage(const std::exception& error);

/// The message of an error, without libtorch's stack frames; of one about memory, how much was
/// asked for.
[[nodiscard]] std::string message_of(const std::exception& error);

}  // namespace civitas::comm
