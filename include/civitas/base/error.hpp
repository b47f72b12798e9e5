#pragma once
/// Errors as exceptions that say what went wrong, both numbers, where, and what to do about it.
#include <source_location>
#include <sstream>
#include <stdexcept>
#include <string>

namespace civitas {

/// What a user can do about an error: `Hint{"mpirun -n 6, or --mesh data=2"}`.
struct Hint {
    std::string text;
};

/// Text of anything streamable, one after the other: `text("needs ", 6, " ranks")`.
template <class... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

/// Anything that stops the program. what() is "message. Hint: hint."
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message, const Hint& hint = {});
};

/// Wrong use of the command line or of a configuration file: exit code 2.
class UsageError : public Error {
public:
    using Error::Error;
};

/// A failing call of a C library: the call, the library's own words, and the line that made it.
class LibraryError : public Error {
public:
    LibraryError(const std::string& call, const std::string& reason,
                 std::source_location at = std::source_location::current());
};

/// An error that every rank of the job has thrown together (see comm::agree), so that the job can
/// end in order, with MPI_Finalize and one message.
class AgreedError : public Error {
public:
    AgreedError(const std::string& complete_message, bool usage);
    [[nodiscard]] bool usage() const noexcept { return usage_; }

private:
    bool usage_;
};

/// A broken promise inside the program (never the user's fault).
void ensure(bool ok, const char* promise,
            std::source_location at = std::source_location::current());

}  // namespace civitas
