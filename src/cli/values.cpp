#include "values.hpp"

#include "civitas/cli/options.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace civitas::cli {
namespace {

/// The whole word, or nothing.
template <class Number>
bool read_number(std::string_view word, Number& value) {
    Number parsed{};
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, parsed);
    if (error != std::errc{} || stop != end) return false;
    value = parsed;
    return true;
}

/// Shortest digits that read back to the same number.
template <class Number>
std::string show_number(Number value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
}

template <class Number>
Spelling whole_number() {
    using Limits = std::numeric_limits<Number>;
    return {"a whole number", "N",
            "from " + show_number(Limits::min()) + " to " + show_number(Limits::max())};
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    for (const auto w : words)
        if (word == w) return true;
    return false;
}

std::vector<std::string> split(const std::string& list, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = list.find(separator, begin);
        parts.push_back(list.substr(begin, end == std::string::npos ? end : end - begin));
    }
    return parts;
}

}  // namespace

Spelling spelling(const bool&) { return {"true or false", ""}; }
Spelling spelling(const int&) { return whole_number<int>(); }
Spelling spelling(const std::int64_t&) { return whole_number<std::int64_t>(); }
Spelling spelling(const std::uint64_t&) { return whole_number<std::uint64_t>(); }
Spelling spelling(const double&) { return {"a number", "X"}; }
Spelling spelling(const std::string&) { return {"text", "TEXT"}; }
Spelling spelling(const std::vector<std::int64_t>&) {
    return {"whole numbers with commas between them", "N,N,..."};
}
Spelling spelling(const std::vector<std::string>&) { return {"text", "TEXT"}; }

bool is_yes(std::string_view value) { return one_of(value, {"true", "on", "yes", "1"}); }

bool read(const std::string& word, bool& value) {
    const bool yes = is_yes(word);
    if (!yes && !one_of(word, {"false", "off", "no", "0"})) return false;
    value = yes;
    return true;
}

bool read(const std::string& word, int& value) { return read_number(word, value); }
bool read(const std::string& word, std::int64_t& value) { return read_number(word, value); }
bool read(const std::string& word, std::uint64_t& value) { return read_number(word, value); }

bool read(const std::string& word, double& value) {
    double parsed = 0;
    if (!read_number(word, parsed) || std::isnan(parsed)) return false;
    value = parsed;
    return true;
}

bool read(const std::string& word, std::string& value) {
    value = word;
    return true;
}

bool read(const std::string& word, std::vector<std::int64_t>& value) {
    std::vector<std::int64_t> parsed;
    if (!word.empty())
        for (const auto& part : split(word, ','))
            if (!read(part, parsed.emplace_back())) return false;
    value = std::move(parsed);
    return true;
}

std::string show(bool value) { return value ? "true" : "false"; }
std::string show(int value) { return show_number(value); }
std::string show(std::int64_t value) { return show_number(value); }
std::string show(std::uint64_t value) { return show_number(value); }
std::string show(double value) { return show_number(value); }
std::string show(const std::string& value) { return value; }

std::string show(const std::vector<std::int64_t>& value) {
    std::string list;
    for (const auto number : value) list += show_number(number) + ',';
    if (!list.empty()) list.pop_back();
    return list;
}

}  // namespace civitas::cli
