#include "civitas/base/update_kind.hpp"

#include "civitas/base/names.hpp"
#include "civitas/base/require_range.hpp"
#include "civitas/base/text.hpp"

#include <charconv>
#include <sstream>

namespace civitas {
namespace {

constexpr std::array<NamedValue<UpdateKind>, 3> kinds{
    {{"sync", UpdateKind::sync}, {"async", UpdateKind::async}, {"server", UpdateKind::server}}};
constexpr std::array<NamedValue<AsyncMoments>, 2> moments{
    {{"shared", AsyncMoments::shared}, {"own", AsyncMoments::own}}};

[[noreturn]] void refuse_delay(const std::string& words, const std::string& part) {
    throw UsageError(text("--delay ", words, ": '", part, "' is no RANK=SECONDS"),
                     Hint{"--delay 1=0.2,3=1.5"});
}

}  // namespace

UpdateKind parse_update_kind(std::string_view name) { return value_named(name, "update", kinds); }
std::string_view to_string(UpdateKind kind) { return name_of(kind, kinds); }

AsyncMoments parse_async_moments(std::string_view name) {
    return value_named(name, "moments of async updates", moments);
}

std::map<int, double> parse_delays(const std::string& words) {
    std::map<int, double> delays;
    std::istringstream parts(words);
    for (std::string part; std::getline(parts, part, ',');) {
        int rank = -1;
        double seconds = -1;
        char equals = 0;
        std::istringstream in(part);
        in >> rank >> equals >> seconds;
        if (!in || !in.eof() || equals != '=' || rank < 0) refuse_delay(words, part);
        require_range("delay", seconds, 0, 3600);  // what takes longer looks like a hang
        if (!delays.emplace(rank, seconds).second)
            throw UsageError(text("--delay names rank ", rank, " twice"), Hint{"once for each"});
    }
    return delays;
}

/// More than a run has steps is no bound.
constexpr std::int64_t most_staleness = 1'000'000;

std::optional<std::int64_t> parse_staleness(const std::string& words, UpdateKind kind) {
    if (words == "auto")
        return kind == UpdateKind::server ? std::optional<std::int64_t>(0) : std::nullopt;
    if (words == "any") return std::nullopt;
    std::int64_t steps = -1;
    const char* const end = words.data() + words.size();
    const auto [read, error] = std::from_chars(words.data(), end, steps);
    if (error != std::errc() || read != end || steps < 0 || steps > most_staleness)
        throw UsageError(text("--max-staleness ", words, " is no number of steps"),
                         Hint{text("0 to ", most_staleness, ", any, or auto")});
    return steps;
}

}  // namespace civitas
