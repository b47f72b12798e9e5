#include "civitas/base/error.hpp"

namespace civitas {
namespace {

std::string sentence(std::string words) {
    if (!words.empty() && words.back() != '.' && words.back() != '?') words += '.';
    return words;
}

std::string compose(const std::string& message, const Hint& hint) {
    return hint.text.empty() ? message : sentence(message) + " Hint: " + sentence(hint.text);
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

void expect(bool ok, const char* promise, std::source_location at) {
    if (!ok) throw Error(text("broken promise: ", promise, " (", place(at), ")"));
}

}  // namespace civitas
