#pragma once
/// Schedules are data: one list of actions per pipe coordinate, printable and parseable as text.
#include "civitas/base/numbers.hpp"

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace civitas::parallel {

enum class Net { generator, discriminator };
/// Which of D's three visits: real tiles, fakes in D's update, fakes in G's update. G itself only
/// has `generate`.
enum class Pass { real, fake, generate };
enum class Kind {
    F,       ///< forward
    B,       ///< backward to the input
    W,       ///< backward to the weights: one leaf
    redraw,  ///< F of G once more, for activations that were dropped
    reduce,  ///< combine the ranks' sums of a net
    step,    ///< update a net
};

struct Action {
    Net net{};
    int stage = 0;
    Pass pass{};
    Kind kind{};
    MicroBatch micro{};  ///< counted from 0 within the rank's own; 0 for reduce and step
    friend bool operator==(const Action&, const Action&) = default;
};

/// One list per pipe coordinate.
struct Schedule {
    std::string name;
    std::vector<std::vector<Action>> coordinates;
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// What a schedule is generated for.
struct ScheduleShape {
    int stages = 1;
    std::int64_t micro_batches = 1;  ///< of one rank
};

/// `naive` and `1f1b`. With one stage both are the same table. Throws UsageError with the nearest
/// name for an unknown one.
[[nodiscard]] Schedule make_schedule(std::string_view name, ScheduleShape shape);

/// `D0.real.F3`, `G0.generate.W2`, `G.step`: one action a word, one coordinate a line.
[[nodiscard]] std::string to_string(const Action& action);
[[nodiscard]] std::string to_string(const Schedule& schedule);
/// Inverse of to_string. Throws UsageError with line and word.
[[nodiscard]] Schedule parse_schedule(std::string_view text);

/// Checks a table by running it on paper: no coordinate blocks; every F precedes its B precedes its
/// W; W ascends within a pass and layer run; every leaf is made exactly once; every F of G precedes
/// every B of G; D's update precedes the visit in G's. Throws UsageError naming the first action
/// that breaks a rule.
void check_schedule(const Schedule& schedule, ScheduleShape shape);

}  // namespace civitas::parallel
