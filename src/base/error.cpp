#include "civitas/base/error.hpp"

#include "civitas/base/printable.hpp"

namespace civitas {
namespace {

std::string sentence(std::string words) {
    if (!words.empty() && words.back() != '.' && words.back() != '?') words += '.';
    return words;
}

/// Words of a user or of a file may hold anything: of what fills pages only both ends are shown.
std::string presentable(const std::string& words) {
    constexpr std::size_t most = 4000, begin = 3300, end = 500;
    if (words.size() <= most) return printable_lines(words);
    return printable_lines(text(words.substr(0, begin), " ... (", words.size(), " characters) ... ",
                                words.substr(words.size() - end)));
}

std::string compose(const std::string& message, const Hint& hint) {
    return presentable(hint.text.empty() ? message
                                         : sentence(message) + " Hint: " + sentence(hint.text));
}

std::string place(std::source_location at) { return text(at.file_name(), ':', at.line()); }

}  // namespace

Error::Error(const std::string& message, const Hint& hint)
    : std::runtime_error(compose(message, hint)) {}

LibraryError::LibraryError(const std::string& call, const std::string& reason,
                           std::source_location at)
    : Error(text(call, ": ", reason, " (", place(at), ")")) {}

AgreedError::AgreedError(const std::string& complete_message, bool usage)
    : Error(complete_message), usage_(usage) {}

void ensure(bool ok, const char* promise, std::source_location at) {
    if (!ok) throw Error(text("broken promise: ", promise, " (", place(at), ")"));
}

}  // namespace civitas
