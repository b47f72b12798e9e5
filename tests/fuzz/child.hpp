#pragma once
/// Work that may crash, hang or take all memory, in a process of its own.
#include <functional>
#include <string>

namespace civitas::fuzz {

enum class End {
    whole,    ///< the work came to its end
    refused,  ///< it threw an error as users should meet it
    found,    ///< anything else: a defect
};

struct Verdict {
    End end = End::whole;
    std::string words = {};  ///< the error's, or what was found
};

/// Runs `work` in a child with a bounded address space and bounded time. An error counts as refused
/// when it is a civitas::Error whose message has `name` in it and nothing that only a library would
/// say. To be called where there is one thread.
[[nodiscard]] Verdict attempt(const std::function<void()>& work, const std::string& name);

}  // namespace civitas::fuzz
