#pragma once
/// A standstill of the ranks of a node: whether there is one, who did not move, and all that is
/// known of it in words. Pure functions of what a board showed.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/environment/board.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace civitas::environment {

/// A rank as the board showed it.
struct RankState {
    Rank rank{};
    Coordinate coordinate;
    std::int64_t process = 0;        ///< its number on the node
    double unseen_s = 0;             ///< since its process was seen to run
    std::vector<Posted> posts = {};  ///< the oldest first
};

/// What is known of a standstill on a node.
struct Standstill {
    std::vector<RankState> ranks;  ///< of the node, ascending
    NodeTime now = 0;
    double limit_s = 0;  ///< for which nobody was to stand still
    double grace_s = 0;  ///< after which the job is ended
    bool of_all = true;  ///< nobody has moved; else some rank that waits for nobody has not
    std::string host = {};
    std::string time = {};  ///< of the day
};

/// Why a rank is thought to hold the others up.
enum class Suspicion {
    stopped,   ///< its process does not run
    busy,      ///< it is at work on its own, waiting for nobody
    awaited,   ///< all wait for each other, and it for the longest time
    elsewhere  ///< all wait, some for ranks of other nodes
};
/// Who did not move.
struct Blame {
    Suspicion suspicion{};
    Rank rank{};  ///< not for `elsewhere`
};
/// The rank that nobody's wait explains: one whose process has not been seen for `unseen_s`, or
/// that does not wait itself, the longest without a post of several; where all wait, see Suspicion.
/// Nothing for no ranks.
[[nodiscard]] std::optional<Blame> blame(const Standstill& standstill);

/// An activity in words, but for whom it waits: `D1.real.F3, layer conv2`.
using Words = std::function<std::string(const Activity&)>;

/// One line that names the rank that did not move.
[[nodiscard]] std::string headline(const Standstill& standstill, const Words& words);
/// A line for each rank of the node: what it does, since when, whom it waits for.
[[nodiscard]] std::string ranks_in_words(const Standstill& standstill, const Words& words);
/// All that is known, with the last actions of every rank.
[[nodiscard]] std::string report(const Standstill& standstill, const Words& words);

/// What a look at the board shows, of all ranks or of one.
struct Glance {
    std::uint64_t progress = 0;
    bool takes_long = false;  ///< some rank is at work that may take many times as long
    bool stopped = false;     ///< some process does not run
    bool told = false;        ///< that these stand still
};
enum class Alarm {
    none,
    standstill,  ///< tell it: at every look until it is told
    end,         ///< the grace time since it was told is over: end the job
    over         ///< somebody has moved though a standstill was told
};

/// How long nobody may move.
struct Patience {
    double limit_s = 0;
    double grace_s = 0;        ///< between telling and ending
    double interval_s = 0;     ///< between two looks
    double of_long_work = 10;  ///< times the limit, while some rank is at work that takes long
};

/// Looks at the board again and again, and counts the time in which nobody moves. Time in which
/// it did not look itself is not counted: whole jobs are suspended and go on.
class StandstillDetector {
public:
    explicit StandstillDetector(const Patience& patience) : patience_(patience) {}
    /// `elapsed_s`: since the look before.
    [[nodiscard]] Alarm look(const Glance& glance, double elapsed_s);

private:
    Patience patience_;
    std::optional<std::uint64_t> progress_;
    double quiet_s_ = 0;
    std::optional<double> told_at_s_;  ///< of the time that nobody has moved for
};

}  // namespace civitas::environment
