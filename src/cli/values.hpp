#pragma once
/// Values as text, exactly: what show() prints, read() reads back to the same value.
#include <cstdint>
#include <string>
#include <vector>

namespace civitas::cli {

/// What a user may write for a type, for messages and help.
struct Spelling {
    std::string expected;     ///< "a whole number"
    std::string placeholder;  ///< "N"; empty for a switch
    std::string range = {};   ///< "from 0 to 255", where a whole number can be out of it
};

[[nodiscard]] Spelling spelling(const bool&);
[[nodiscard]] Spelling spelling(const int&);
[[nodiscard]] Spelling spelling(const std::int64_t&);
[[nodiscard]] Spelling spelling(const std::uint64_t&);
[[nodiscard]] Spelling spelling(const double&);
[[nodiscard]] Spelling spelling(const std::string&);
[[nodiscard]] Spelling spelling(const std::vector<std::int64_t>&);
[[nodiscard]] Spelling spelling(const std::vector<std::string>&);

/// False when `word` does not spell such a value; `value` is then unchanged.
[[nodiscard]] bool read(const std::string& word, bool& value);
[[nodiscard]] bool read(const std::string& word, int& value);
[[nodiscard]] bool read(const std::string& word, std::int64_t& value);
[[nodiscard]] bool read(const std::string& word, std::uint64_t& value);
[[nodiscard]] bool read(const std::string& word, double& value);
[[nodiscard]] bool read(const std::string& word, std::string& value);
[[nodiscard]] bool read(const std::string& word, std::vector<std::int64_t>& value);

[[nodiscard]] std::string show(bool value);
[[nodiscard]] std::string show(int value);
[[nodiscard]] std::string show(std::int64_t value);
[[nodiscard]] std::string show(std::uint64_t value);
[[nodiscard]] std::string show(double value);
[[nodiscard]] std::string show(const std::string& value);
[[nodiscard]] std::string show(const std::vector<std::int64_t>& value);

}  // namespace civitas::cli
