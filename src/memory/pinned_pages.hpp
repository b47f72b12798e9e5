#pragma once
/// Pages that a GPU reads and writes by itself, while this process does something else.
#include <cstddef>
#include <span>

namespace civitas::memory {

/// Pins mapped pages until unpin(). Whether that was possible: without CUDA, or beyond what the
/// system lets a process pin, copies take longer, and nothing else changes.
[[nodiscard]] bool pin(std::span<std::byte> pages);
/// Precondition: they are pinned, and no copy is under way.
void unpin(std::span<std::byte> pages);

}  // namespace civitas::memory
