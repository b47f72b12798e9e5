#include "civitas/schedule/schedule.hpp"

#include "patterns.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/schedule/tags.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace civitas::schedule {
namespace {

constexpr std::string_view interleaved = "interleaved";

[[noreturn]] void refuse_name(std::string_view name) {
    throw UsageError(text("unknown schedule '", name, "'"),
                     Hint{"naive, gpipe, 1f1b, interleaved:v, zero-bubble, gan, or a file"});
}

bool is_simple(std::string_view name) {
    constexpr std::array<std::string_view, 5> names{"naive", "gpipe", "1f1b", "zero-bubble", "gan"};
    return std::ranges::find(names, name) != names.end();
}

/// v of `interleaved:v`.
int chunks_in(std::string_view name) {
    if (name == interleaved) return 2;
    const std::string_view digits = name.substr(std::min(interleaved.size() + 1, name.size()));
    const char* const end = digits.data() + digits.size();
    int chunks = 0;
    const auto [at, error] = std::from_chars(digits.data(), end, chunks);
    if (error != std::errc{} || at != end || chunks < 1) refuse_name(name);
    return chunks;
}

void require_supported(std::string_view name, const ScheduleShape& shape) {
    ensure(shape.coordinates > 0, "a mesh has pipe coordinates");
    if (const int chunks = chunks_of(name); chunks != shape.chunks)
        throw UsageError(text("schedule ", name, " puts ", chunks,
                              " stages of each net on a coordinate, not ", shape.chunks));
    ensure(!shape.graph.passes.empty() && shape.graph.passes.size() <= most_passes,
           "the number of a pass fits into a tag");
    if (shape.micro_batches < 1)
        throw UsageError(
            text("a schedule of ", shape.micro_batches, " micro-batches a rank has nothing to do"),
            Hint{"a larger --batch, a smaller --micro-batch or fewer ranks"});
    if (shape.micro_batches > most_visits / shape.stages())
        throw UsageError(
            text("a step of ", shape.micro_batches, " micro-batches a rank through ",
                 counted(shape.stages(), "stage", "stages"),
                 " is more than a table can hold: at most ", most_visits / shape.stages()),
            Hint{"a larger --micro-batch, a smaller --batch or more ranks of the data axis"});
    if (shape.chunks > 1 && shape.micro_batches % shape.coordinates != 0)
        throw UsageError(text("schedule ", name, " moves micro-batches in groups of one per pipe ",
                              "coordinate: a rank has ", shape.micro_batches,
                              " of them, no multiple of ", shape.coordinates),
                         Hint{"another --batch or --micro-batch, or --schedule 1f1b"});
}

Pattern pattern_of(std::string_view name, const ScheduleShape& shape) {
    if (shape.stages() == 1) return Pattern::one_f_one_b;
    if (name == "gpipe") return Pattern::gpipe;
    if (name == "zero-bubble" || name == "gan") return Pattern::zero_bubble;
    return Pattern::one_f_one_b;
}

/// Runs of micro-batches that a table finishes one after the other. One stage has nothing to
/// overlap, so it goes through them singly and keeps least.
std::vector<Range> blocks_of(std::string_view name, const ScheduleShape& shape) {
    if (name != "naive" && shape.stages() > 1) return {{0, shape.micro_batches}};
    std::vector<Range> singles;
    for (std::int64_t m = 0; m < shape.micro_batches; ++m) singles.push_back({m, 1});
    return singles;
}

/// Writes the passes of a step one after the other, for blocks of micro-batches. Side by side, what
/// needs nothing of each other shares a phase.
class Phases {
public:
    Phases(std::string_view name, const ScheduleShape& shape, bool side_by_side)
        : pattern_(pattern_of(name, shape)),
          shape_(shape),
          graph_(shape.graph),
          blocks_(blocks_of(name, shape)),
          side_by_side_(side_by_side) {}

    [[nodiscard]] std::vector<Phase> of_step() && {
        for (const NetId net : graph_.update_order()) {
            bool first = true;
            for (const PassId pass : graph_.trained_by(net)) add(pass, std::exchange(first, false));
            phases_.push_back({update_of(net, shape_.coordinates)});
        }
        return std::move(phases_);
    }
    [[nodiscard]] std::vector<Phase> of_pass(PassId pass) && {
        for (const Range m : blocks_) phases_.push_back({all(pass, m)});
        return std::move(phases_);
    }

private:
    /// F and backward of a pass, and F before it of the pass whose outputs it takes; or, where
    /// its gradients come from another pass, F and backward of that one and its own backward.
    void add(PassId pass, bool first) {
        const auto source =
            graph_[pass].gradient_from ? std::optional(pass) : graph_[pass].input_from;
        const bool draws = source && drawn_.insert(*source).second;
        for (const Range m : blocks_) {
            if (draws) draw(forward_of(all(*source, m)), first);
            if (const auto through = graph_[pass].gradient_from) {
                follow({without_weights(all(*through, m)), backward(pass, m)});
            } else {
                phases_.push_back({all(pass, m)});
            }
        }
    }

    /// Beside the pass before it, if that is of the same update.
    void draw(Lists lists, bool first) {
        if (side_by_side_ && !first) {
            phases_.back().push_back(std::move(lists));
        } else {
            phases_.push_back({std::move(lists)});
        }
    }
    void follow(Phase together) {
        if (side_by_side_) return phases_.push_back(std::move(together));
        for (Lists& lists : together) phases_.push_back({std::move(lists)});
    }

    [[nodiscard]] Lists backward(PassId pass, Range micros) const {
        Lists lists = all(pass, micros);
        return shape_.redraw && graph_.is_redrawable(pass) ? redrawn(std::move(lists))
                                                           : backward_of(std::move(lists));
    }
    [[nodiscard]] Lists all(PassId pass, Range micros) const {
        return lists_of(pattern_, shape_, {graph_[pass].net, pass, micros});
    }

    Pattern pattern_;
    const ScheduleShape& shape_;
    const StepGraph& graph_;
    std::vector<Range> blocks_;
    bool side_by_side_;
    std::set<PassId> drawn_;  ///< passes whose F is in the phases
    std::vector<Phase> phases_;
};

Schedule written(std::string_view name, const ScheduleShape& shape,
                 const std::vector<Phase>& phases) {
    Lists lists = joined(phases, shape);
    return {std::string(name), shape.graph, shape.recompute ? recomputed(lists) : std::move(lists)};
}

}  // namespace

bool is_schedule_name(std::string_view name) {
    return is_simple(name) || name.substr(0, name.find(':')) == interleaved;
}

int chunks_of(std::string_view name) {
    if (!is_schedule_name(name)) refuse_name(name);
    return is_simple(name) ? 1 : chunks_in(name);
}

Schedule make_schedule(std::string_view name, const ScheduleShape& shape) {
    require_supported(name, shape);
    if (const auto flaw = shape.graph.flaw())
        throw Error("no table can be made of this step: " + *flaw);
    const bool side_by_side = name == "gan" && shape.stages() > 1;
    return written(name, shape, Phases(name, shape, side_by_side).of_step());
}

Schedule single_pass(std::string_view name, const ScheduleShape& shape, PassId pass) {
    require_supported(name, shape);
    return written(name, shape, Phases(name, shape, false).of_pass(pass));
}

}  // namespace civitas::schedule
