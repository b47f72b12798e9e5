#include "ending.hpp"

#include <charconv>

namespace civitas::maps {
namespace {

/// Takes so many digits off the front; nothing where it does not begin with them.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t digits) {
    if (text.size() < digits) return std::nullopt;
    unsigned number = 0;
    const char* const end = text.data() + digits;
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    text.remove_prefix(digits);
    return number;
}

}  // namespace

std::optional<std::chrono::sys_days> day_in(std::string_view text) {
    const auto year = take_digits(text, 4);
    const bool parted = year && (text.starts_with('-') || text.starts_with('/'));
    const char between = parted ? text.front() : '\0';
    const auto take_part = [&]() -> std::optional<unsigned> {
        if (parted && !text.starts_with(between)) return std::nullopt;
        if (parted) text.remove_prefix(1);
        return take_digits(text, 2);
    };
    const auto month = year ? take_part() : std::nullopt;
    const auto day = month ? take_part() : std::nullopt;
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(*month), std::chrono::day(*day)};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date);
}

bool has_come(std::string_view end, std::chrono::sys_days day) {
    if (end.empty()) return false;
    const auto last = day_in(end);
    return !last || *last < day;
}

}  // namespace civitas::maps
