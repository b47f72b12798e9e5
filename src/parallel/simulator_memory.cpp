#include "schedule_actions.hpp"

#include "civitas/parallel/simulator.hpp"

#include <algorithm>
#include <set>

namespace civitas::parallel {
namespace {

/// What one coordinate keeps while its list runs.
class Kept {
public:
    Kept(const Schedule& schedule, int coordinate, const Costs& costs)
        : costs_(costs),
          actions_(schedule.coordinates.at(static_cast<std::size_t>(coordinate))),
          last_stage_(static_cast<int>(costs.generator.size()) - 1) {
        const Placement placement = placement_of(schedule);
        draws_here_ = placement.find(Net::generator, last_stage_) == coordinate &&
                      placement.find(Net::discriminator, 0) == coordinate;
        for (const Action& a : actions_)
            if (a.kind == Kind::redraw || a.kind == Kind::recompute) again_.insert(a);
    }

    [[nodiscard]] MemoryPeak peak() {
        for (const Action& a : actions_) {
            begin(a);
            measure();
            end(a);
            measure();
        }
        return peak_;
    }

private:
    [[nodiscard]] bool has(const Action& a, Kind kind) const {
        return again_.contains(with(a, kind));
    }
    [[nodiscard]] const StageCosts& stage(const Action& a) const {
        return costs_.of(a.net, a.stage);
    }
    std::int64_t& count(const Action& a) {
        return is_generator(a) ? live_.kept.generator : live_.kept.discriminator;
    }
    /// The activations are run once more before B, so this run of F saves none.
    [[nodiscard]] bool dropped(const Action& a) const {
        return (a.kind != Kind::recompute && has(a, Kind::recompute)) ||
               (a.kind == Kind::F && has(a, Kind::redraw));
    }
    /// The input that a recompute starts from comes with the last F or redraw before it.
    [[nodiscard]] bool keeps_input(const Action& a) const {
        return has(a, Kind::recompute) && (a.kind == Kind::redraw || !has(a, Kind::redraw));
    }
    [[nodiscard]] bool draws_fake(const Action& a) const {
        return draws_here_ && is_generator(a) && a.stage == last_stage_ && a.kind == Kind::F;
    }
    [[nodiscard]] static bool at_start_of_discriminator(const Action& a, Pass pass) {
        return !is_generator(a) && a.stage == 0 && a.kind == Kind::F && a.pass == pass;
    }

    void begin(const Action& a) {
        if (!draws_here_ && at_start_of_discriminator(a, Pass::fake))
            live_.bytes += stage(a).input_bytes;
        if (is_forward(a.kind) || a.kind == Kind::recompute) {
            ++count(a);
            live_.bytes += stage(a).saved_bytes;
        }
        if (a.kind == Kind::recompute) live_.bytes -= stage(a).input_bytes;
    }

    void end(const Action& a) {
        if (draws_fake(a)) live_.bytes += costs_.of(Net::discriminator, 0).input_bytes;
        if (at_start_of_discriminator(a, Pass::generate)) live_.bytes -= stage(a).input_bytes;
        if (is_forward(a.kind) && dropped(a)) drop(a);
        if (is_forward(a.kind) && keeps_input(a)) live_.bytes += stage(a).input_bytes;
        if (a.kind == Kind::BW || (a.kind == Kind::B && passes_through(a))) {
            drop(a);
        } else if (a.kind == Kind::B) {
            live_.bytes += stage(a).held_bytes - stage(a).saved_bytes;
        } else if (a.kind == Kind::W) {
            --count(a);
            live_.bytes -= stage(a).held_bytes;
        }
    }

    void drop(const Action& a) {
        --count(a);
        live_.bytes -= stage(a).saved_bytes;
    }

    void measure() {
        const auto raise = [](std::int64_t& most, std::int64_t now) { most = std::max(most, now); };
        raise(peak_.kept.generator, live_.kept.generator);
        raise(peak_.kept.discriminator, live_.kept.discriminator);
        raise(peak_.bytes, live_.bytes);
    }

    const Costs& costs_;
    const std::vector<Action>& actions_;
    int last_stage_ = 0;
    bool draws_here_ = false;  ///< D begins where G ends
    std::set<Action> again_;   ///< every redraw and recompute of the list
    MemoryPeak live_, peak_;
};

}  // namespace

MemoryPeak memory_peak(const Schedule& schedule, int coordinate, const Costs& costs) {
    return Kept(schedule, coordinate, costs).peak();
}

}  // namespace civitas::parallel
