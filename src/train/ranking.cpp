#include "ranking.hpp"

#include "civitas/base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace civitas::train {
namespace {

constexpr std::array schedules{"1f1b", "zero-bubble", "gan", "interleaved:2", "gpipe", "naive"};
constexpr std::array placements{"same", "reversed"};

/// From what costs nothing to what costs most time.
struct Saving {
    bool redraw, recompute;
};
constexpr std::array<Saving, 4> savings{
    {{false, false}, {true, false}, {false, true}, {true, true}}};

class Search {
public:
    Search(const Configuration& c, const Resources& resources, const LayerSeconds& seconds)
        : configuration_(c), resources_(resources), seconds_(seconds) {}

    /// With one pipe coordinate all schedules are the same table.
    void try_all(comm::MeshShape mesh) {
        for (const char* schedule : schedules)
            for (const char* placement : placements) {
                if (mesh.pipe == 1 && (schedule != schedules[0] || placement != placements[0]))
                    continue;
                configuration_.layout.schedule = schedule;
                configuration_.layout.placement = placement;
                try_savings(mesh);
            }
    }

    [[nodiscard]] std::optional<Offer>& best() { return best_; }
    [[nodiscard]] const std::string& why_not() const { return why_not_; }

private:
    void try_savings(comm::MeshShape mesh) {
        for (const Saving saving : savings) {
            configuration_.layout.redraw = saving.redraw;
            configuration_.layout.recompute = saving.recompute;
            try {
                Plan plan = make_plan(configuration_, mesh, resources_, seconds_);
                if (consider(std::move(plan))) return;
            } catch (const UsageError& e) {
                const std::string message = e.what();
                if (least_bytes_ == 0) why_not_ = message.substr(0, message.find(". Hint"));
                return;
            }
        }
    }

    /// False when it needs too much memory.
    bool consider(Plan plan) {
        const double room = memory_of_rank(resources_, plan.setting.mesh.size());
        if (const auto bytes = plan.peak_bytes(); static_cast<double>(bytes) > room) {
            if (least_bytes_ == 0 || bytes < least_bytes_) least_bytes_ = bytes;
            why_not_ = text("a rank needs ", megabytes(least_bytes_), ", it has ",
                            megabytes(static_cast<std::int64_t>(room)));
            return false;
        }
        // Of equal ones the first, which is the simplest.
        if (!best_ || plan.seconds_of_step() < 0.999 * best_->plan.seconds_of_step())
            best_ = Offer{configuration_.layout, std::move(plan)};
        return true;
    }

    Configuration configuration_;
    const Resources& resources_;
    const LayerSeconds& seconds_;
    std::optional<Offer> best_;
    std::int64_t least_bytes_ = 0;  ///< of those that need too much
    std::string why_not_;
};

}  // namespace

Ranking rank_meshes(const Configuration& c, int ranks, const Resources& resources,
                    const LayerSeconds& seconds) {
    Ranking ranking;
    for (int pipe = 1; pipe <= ranks; ++pipe) {
        if (ranks % pipe != 0) continue;
        const comm::MeshShape mesh{.data = ranks / pipe, .pipe = pipe};
        Search search(c, resources, seconds);
        search.try_all(mesh);
        if (search.best()) {
            ranking.offers.push_back(std::move(*search.best()));
        } else {
            ranking.refused.push_back({mesh, search.why_not()});
        }
    }
    std::stable_sort(ranking.offers.begin(), ranking.offers.end(),
                     [](const Offer& a, const Offer& b) {
                         return a.plan.seconds_of_step() < b.plan.seconds_of_step();
                     });
    return ranking;
}

std::string strategy_of(const Offer& offer) {
    const comm::MeshShape mesh = offer.plan.setting.mesh;
    const std::string& schedule = offer.layout.schedule;
    std::string words;
    if (mesh.size() == 1) {
        words = "one process";
    } else if (mesh.pipe == 1) {
        words = text("data parallel: ", mesh.data, " replicas of both nets");
    } else if (mesh.data == 1) {
        words = schedule == "naive" ? text("naive model parallel: ", mesh.pipe, " stages")
                                    : text("a pipeline of ", mesh.pipe, " stages");
    } else {
        words = text("data-parallel pipelines: ", mesh.data, " copies of ", mesh.pipe, " stages");
    }
    if (mesh.pipe > 1) words += ", schedule " + schedule;
    if (mesh.pipe > 1 && offer.layout.placement == "reversed") words += ", D reversed";
    if (offer.layout.redraw) words += ", G's tiles drawn again";
    if (offer.layout.recompute) words += ", stages recomputed";
    return words;
}

}  // namespace civitas::train
