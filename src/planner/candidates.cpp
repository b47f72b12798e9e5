#include "civitas/planner/candidates.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/planner/savings.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace civitas::planner {
namespace {

constexpr std::array schedules{"1f1b", "zero-bubble", "gan", "interleaved:2", "gpipe", "naive"};
constexpr std::array placements{StageOrder::same, StageOrder::reversed};

std::string without_hint(const UsageError& e) {
    const std::string message = e.what();
    return message.substr(0, message.find(". Hint"));
}

class Search {
public:
    Search(const Configuration& c, const Resources& resources, const LayerSeconds& seconds)
        : configuration_(c), resources_(resources), seconds_(seconds) {}

    /// With one pipe coordinate all schedules are the same table.
    void try_all(MeshShape mesh) {
        for (const char* schedule : schedules)
            for (const StageOrder placement : placements) {
                if (mesh[Axis::pipe] == 1 &&
                    (schedule != schedules[0] || placement != placements[0]))
                    continue;
                configuration_.layout.schedule = schedule_named(schedule);
                configuration_.layout.placement = placement;
                try_savings(mesh);
            }
    }

    [[nodiscard]] std::optional<Offer>& best() { return best_; }
    [[nodiscard]] Refusal refusal(MeshShape mesh) const {
        return {mesh, why_not_, least_bytes_ > 0};
    }

private:
    void try_savings(MeshShape mesh) {
        std::int64_t unsaved = 0;
        for (const Saving saving : savings) {
            configuration_.layout.redraw = saving.redraw;
            configuration_.layout.recompute = saving.recompute;
            try {
                Plan plan = make_plan(configuration_, mesh, resources_, seconds_, Effort::compare);
                if (unsaved == 0) unsaved = plan.peak_bytes();
                if (consider(std::move(plan), unsaved)) return;
            } catch (const UsageError& e) {
                if (least_bytes_ == 0) why_not_ = without_hint(e);
                return;
            }
        }
    }

    /// False when it needs too much memory.
    bool consider(Plan plan, std::int64_t unsaved) {
        const double room = memory_of_rank(resources_, plan.setting.mesh.size());
        if (const auto bytes = plan.peak_bytes(); static_cast<double>(bytes) > room) {
            if (least_bytes_ == 0 || bytes < least_bytes_) least_bytes_ = bytes;
            why_not_ = text("a rank needs ", megabytes(least_bytes_), ", it has ",
                            megabytes(static_cast<std::int64_t>(room)));
            return false;
        }
        // Of equal ones the first, which is the simplest.
        if (!best_ || plan.seconds_of_step() < 0.999 * best_->plan.seconds_of_step())
            best_ = Offer{configuration_.layout, std::move(plan), unsaved};
        return true;
    }

    Configuration configuration_;
    const Resources& resources_;
    const LayerSeconds& seconds_;
    std::optional<Offer> best_;
    std::int64_t least_bytes_ = 0;  ///< of those that need too much
    std::string why_not_;
};

/// Why the tensor axis cannot have so many ranks; nothing when it can.
std::optional<std::string> why_not(const net::GanDescription& gan, int tensor) {
    try {
        (void)net::tensor_plan(gan.generator, tensor);
        (void)net::tensor_plan(gan.discriminator, tensor);
    } catch (const UsageError& e) {
        return without_hint(e);
    }
    return std::nullopt;
}

}  // namespace

bool is_tie(const Plan& slower, const Plan& faster) {
    constexpr double told_apart = 1.05;  // plans are no better than that
    return slower.seconds_of_step() <= told_apart * faster.seconds_of_step();
}

void prefer_same_bits(std::vector<Offer>& offers) {
    const auto keeps_bits = [](const Offer& offer) {
        return offer.plan.setting.mesh[Axis::tensor] == 1;
    };
    const auto best = std::find_if(offers.begin(), offers.end(), keeps_bits);
    if (best == offers.end() || !is_tie(best->plan, offers.front().plan)) return;
    std::rotate(offers.begin(), best, best + 1);
}

Ranking rank_meshes(const Configuration& c, int ranks, const Resources& resources,
                    const LayerSeconds& seconds) {
    Ranking ranking;
    const auto& gan = c.problem.gan();
    for (int tensor = 1; ranks % tensor == 0; tensor *= 2) {
        if (const auto why = why_not(gan, tensor)) {
            ranking.refused.push_back(
                {{{Axis::data, ranks / tensor}, {Axis::tensor, tensor}}, *why});
            continue;
        }
        for (int pipe = 1; pipe <= ranks / tensor; ++pipe) {
            if (ranks / tensor % pipe != 0) continue;
            const MeshShape mesh{
                {Axis::data, ranks / tensor / pipe}, {Axis::pipe, pipe}, {Axis::tensor, tensor}};
            Search search(c, resources, seconds);
            search.try_all(mesh);
            if (search.best()) {
                ranking.offers.push_back(std::move(*search.best()));
            } else {
                ranking.refused.push_back(search.refusal(mesh));
            }
        }
    }
    std::stable_sort(ranking.offers.begin(), ranking.offers.end(),
                     [](const Offer& a, const Offer& b) {
                         return a.plan.seconds_of_step() < b.plan.seconds_of_step();
                     });
    prefer_same_bits(ranking.offers);
    return ranking;
}

// `train` left to itself would place D by its own measured times, so the placement is said.
std::string layout_options(const Offer& offer) {
    const LayoutOptions& layout = offer.layout;
    const MeshShape mesh = offer.plan.setting.mesh;
    return text(" --mesh ", to_string(mesh),
                mesh[Axis::pipe] > 1 ? text(" --schedule ", name_of(layout.schedule),
                                            " --placement ", to_string(layout.placement))
                                     : "",
                layout.redraw ? " --redraw" : "", layout.recompute ? " --recompute" : "");
}

std::string strategy_of(const Offer& offer) {
    const MeshShape mesh = offer.plan.setting.mesh;
    const std::string& schedule = name_of(offer.layout.schedule);
    std::string words;
    if (mesh.size() == 1) {
        words = "one process";
    } else if (mesh.size() == mesh[Axis::tensor]) {
        words = "tensor parallel";
    } else if (mesh[Axis::pipe] == 1) {
        words = text("data parallel: ", mesh[Axis::data], " replicas of both nets");
    } else if (mesh[Axis::data] == 1) {
        words = schedule == "naive" ? text("naive model parallel: ", mesh[Axis::pipe], " stages")
                                    : text("a pipeline of ", mesh[Axis::pipe], " stages");
    } else {
        words = text("data-parallel pipelines: ", mesh[Axis::data], " copies of ", mesh[Axis::pipe],
                     " stages");
    }
    if (mesh[Axis::tensor] > 1)
        words += text(", channels of every layer cut in ", mesh[Axis::tensor]);
    if (mesh[Axis::pipe] > 1) words += ", schedule " + schedule;
    if (mesh[Axis::pipe] > 1 && offer.layout.placement == StageOrder::reversed)
        words += ", D reversed";
    if (offer.layout.redraw) words += ", G's tiles drawn again";
    if (offer.layout.recompute) words += ", stages recomputed";
    return words;
}

}  // namespace civitas::planner
