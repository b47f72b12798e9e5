#include "civitas/comm/failure.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/unreadable.hpp"
#include "civitas/base/words_of.hpp"

#include <c10/util/Exception.h>
#include <algorithm>
#include <array>
#include <new>
#include <system_error>

namespace civitas::comm {
namespace {

/// libtorch's own words, without the line of its source that found the failure.
std::string line_of(const c10::Error& error) {
    std::string words = error.what_without_backtrace();
    words = words.substr(0, words.find('\n'));
    const auto end = words.find("] ");
    if (words.starts_with("[enforce fail") && end != std::string::npos) words.erase(0, end + 2);
    return words;
}

std::string plain(const std::exception& error) {
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    return torch == nullptr ? words_of(error) : line_of(*torch);
}

/// `230400000000 bytes` of "you tried to allocate 230400000000 bytes. Error code 12".
std::string asked_for(const std::string& words) {
    for (const std::string mark : {"tried to allocate ", "Tried to allocate "}) {
        const auto at = words.find(mark);
        if (at == std::string::npos) continue;
        const auto from = at + mark.size();
        const auto blank = words.find(' ', from);
        const auto end = blank == std::string::npos ? blank : words.find_first_of(" .", blank + 1);
        return " for " + words.substr(from, end - from);
    }
    return "";
}

}  // namespace

bool lacks_memory(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
    const std::string words = plain(error);
    constexpr std::array marks{"can't allocate memory", "out of memory", "not enough memory",
                               "could not create a primitive",
                               "Storage size calculation overflowed"};
    return std::any_of(marks.begin(), marks.end(),
                       [&](const char* mark) { return words.find(mark) != std::string::npos; });
}

bool is_no_damage(const std::exception& error) {
    return lacks_memory(error) || dynamic_cast<const UnreadableError*>(&error) != nullptr ||
           dynamic_cast<const AgreedUnreadableError*>(&error) != nullptr;
}

std::string message_of(const std::exception& error) {
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again)
        return Error("another thread could not be started",
                     Hint{"look at the limits of processes and memory: ulimit -u, ulimit -v"})
            .what();
    const std::string words = plain(error);
    const bool ours = dynamic_cast<const Error*>(&error) != nullptr;
    return !ours && lacks_memory(error) ? "not enough memory" + asked_for(words) : words;
}

}  // namespace civitas::comm
