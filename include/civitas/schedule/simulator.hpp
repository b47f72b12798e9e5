#pragma once
/// Discrete-event simulation of a step: start and end of every action of a table from given times,
/// peak memory from given sizes.
#include "civitas/schedule/kept_peak.hpp"
#include "civitas/schedule/schedule.hpp"
#include "civitas/schedule/sum_costs.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace civitas::schedule {

/// Exchanges of a rank with the others of its tensor group.
struct ExchangeTraffic {
    std::int64_t rounds = 0;  ///< in each it sends a message to every other rank
    std::int64_t bytes = 0;   ///< that it sends
    ExchangeTraffic& operator+=(const ExchangeTraffic& other);
    ExchangeTraffic& operator-=(const ExchangeTraffic& other);
    friend bool operator==(const ExchangeTraffic&, const ExchangeTraffic&) = default;
};

/// What one micro-batch costs in one stage of a net, as a rank of the tensor axis holds it.
struct StageCosts {
    double forward_s = 0;
    double backward_input_s = 0;    ///< B
    double backward_weights_s = 0;  ///< W; BW takes both
    /// Part of B that makes the gradient of a net's input: left out of stage 0 in passes whose
    /// input gradient no other pass takes.
    double to_net_input_s = 0;
    SumCosts sums = {};                  ///< behind W; reduce waits for what is left of them
    double reduce_s = 0;                 ///< once a step, after that
    double step_s = 0;                   ///< once a step
    double gather_s = 0;                 ///< of the weights, beside the coordinate's other work
    std::int64_t saved_bytes = 0;        ///< by F, until its B is done
    std::int64_t bytes_from_B_to_W = 0;  ///< from B to W: gradients, and what W needs of the saved
    std::int64_t input_bytes = 0;        ///< also of the gradient that B sends back
    std::int64_t output_bytes = 0;
    std::int64_t gathered_bytes = 0;  ///< weights, from gather to release
    /// The input itself is among what F saves, and still among what B leaves for W; the output
    /// itself is among what F saves. Whoever else keeps the same tensor then takes no more memory.
    bool saves_input = false;
    bool holds_input = false;
    bool saves_output = false;
    ExchangeTraffic forward_exchanges = {}, backward_exchanges = {};
    ExchangeTraffic to_net_input_exchanges = {};  ///< the part of B that to_net_input_s is
};

struct Costs {
    std::vector<std::vector<StageCosts>> nets;  ///< of each net, as many stages as the table has
    /// Seconds of an empty message between two coordinates, and bytes a second; of the slowest
    /// pair, where they differ.
    double latency_s = 0;
    double bytes_per_second = std::numeric_limits<double>::infinity();
    /// Whether passes that take another's outputs see copies of them: shifted, noisy or of another
    /// type. Otherwise they see the outputs themselves.
    bool outputs_copied = true;
    /// Whether sums begin with every W, and not with the last one of a pass.
    bool leaves_summed = false;

    [[nodiscard]] StageCounts stages() const { return stage_counts_of(nets); }
    [[nodiscard]] std::vector<StageCosts>& of(NetId net) {
        return nets.at(static_cast<std::size_t>(net));
    }
    [[nodiscard]] const std::vector<StageCosts>& of(NetId net) const {
        return nets.at(static_cast<std::size_t>(net));
    }
    [[nodiscard]] const StageCosts& of(NetId net, StageId stage) const {
        return of(net).at(static_cast<std::size_t>(stage));
    }
    /// Of what an F, redraw or B hands on.
    [[nodiscard]] std::int64_t result_bytes(const Action& made) const {
        const StageCosts& stage = of(made.net, made.stage);
        return made.kind == Kind::B ? stage.input_bytes : stage.output_bytes;
    }
};

/// Costs by which F, B and W of every stage take so many seconds each and F saves 1 byte; all else
/// is free.
[[nodiscard]] Costs unit_costs(const StageCounts& stages, double seconds = 1);
/// Costs by which F, B and W take 1 s each for the layers that a coordinate holds of a net
/// (1/chunks a stage) and F saves 1 byte; all else is free.
[[nodiscard]] Costs unit_costs(const StepGraph& graph, const ScheduleShape& shape);

/// An action's time on its coordinate, seconds since the step began. A gather takes none of the
/// coordinate's: its span lies beside those of other actions.
struct Span {
    PipeCoordinate coordinate{};
    Action action;
    double begin_s = 0;
    double end_s = 0;
};

struct MemoryPeak {
    KeptPeak kept;
    /// Saved activations, what is held between B and W, outputs kept for several passes, inputs
    /// kept for a recompute, gradients of losses, and what one stage has made for another here;
    /// what they share counts once. Exact: Executor::peak_bytes.
    std::int64_t bytes = 0;
    /// Weights that are gathered at once; not among `bytes`.
    std::int64_t gathered_bytes = 0;
};
/// The peak memory of one coordinate: the order of its list decides, not the times. Precondition:
/// the schedule has been checked.
[[nodiscard]] MemoryPeak memory_peak(const Schedule& schedule, PipeCoordinate coordinate,
                                     const Costs& costs);

struct Simulation {
    struct Coordinate {
        double busy_s = 0;  ///< but for gathers
        double idle_s = 0;  ///< makespan - busy
    };
    std::vector<Span> spans;  ///< ascending by begin, then coordinate
    double makespan_s = 0;
    std::vector<Coordinate> coordinates;

    [[nodiscard]] double idle_s() const;  ///< of all coordinates
    /// Share of the coordinates' time that is idle, 0 to 1.
    [[nodiscard]] double bubble() const;
};

/// A table that is simulated under several costs: what its actions wait for is found once. Every
/// action runs as soon as its coordinate is free and what it needs has arrived; messages take none
/// of a coordinate's time and do not slow each other. Gathers of a coordinate follow each other
/// beside its work; each begins when the list comes to it, and who reads the weights, or releases
/// them, waits for its end. Sums follow each other beside both, each from the end of its layer's W
/// on; a net's reduce takes until the last of them has ended, and its own time.
class Simulator {
public:
    /// `stages`: those of the costs. Precondition: the schedule has been checked, or comes from
    /// single_pass().
    Simulator(Schedule schedule, const StageCounts& stages);

    [[nodiscard]] Simulation simulate(const Costs& costs) const;
    /// The makespan of simulate() alone, seconds.
    [[nodiscard]] double makespan(const Costs& costs) const;

private:
    /// A result that an action needs: that of which of the events, and whether a message brings it.
    struct Need {
        std::size_t event = 0;
        bool by_message = false;
    };
    struct Event {
        PipeCoordinate coordinate{};
        Action action;
        std::size_t needs_end = 0;  ///< its needs are those behind those of the event before
    };
    [[nodiscard]] std::vector<Span> spans(const Costs& costs) const;

    Schedule schedule_;
    StagePlacement placement_;
    std::int64_t micro_batches_;
    std::vector<Event> events_;  ///< each behind all that it needs
    std::vector<Need> needs_;
};

/// Simulates a step once.
[[nodiscard]] Simulation simulate(const Schedule& schedule, const Costs& costs);

/// The makespan of simulate() alone, seconds.
[[nodiscard]] double makespan(const Schedule& schedule, const Costs& costs);

}  // namespace civitas::schedule
