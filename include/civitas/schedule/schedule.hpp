#pragma once
/// Schedules are data: one list of actions per pipe coordinate, printable and parseable as text.
#include "civitas/base/micro_batch.hpp"
#include "civitas/schedule/stage_counts.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace civitas::schedule {

enum class Kind {
    F,          ///< forward
    B,          ///< backward to the input
    W,          ///< backward to the weights: one leaf
    BW,         ///< B and W of a stage, layer by layer as reverse-mode autograd runs them
    redraw,     ///< F once more, from the task's data through all stages, for activations dropped
                ///< after F
    recompute,  ///< F of one stage once more, from the input it kept, before its B
    gather,   ///< bring the weights of one stage, of which each rank of the data axis keeps a part
    release,  ///< drop what gather brought
    reduce,   ///< combine the ranks' sums of a net
    step,     ///< update a net
};

struct Action {
    NetId net{};
    StageId stage{};  ///< 0 for reduce and step: those mean all stages of the net held here
    PassId pass{};    ///< 0 for gather, release, reduce and step: those are of no visit
    Kind kind{};
    LocalMicroBatch micro{};  ///< counted from 0 within the rank's own; 0 where there is no visit
    friend bool operator==(const Action&, const Action&) = default;
    friend bool operator<(const Action& a, const Action& b) {
        return std::tie(a.net, a.stage, a.pass, a.kind, a.micro) <
               std::tie(b.net, b.stage, b.pass, b.kind, b.micro);
    }
};

/// One list per pipe coordinate, of the actions of a step.
struct Schedule {
    std::string name;
    StepGraph graph;
    std::vector<std::vector<Action>> coordinates;

    [[nodiscard]] const std::vector<Action>& operator[](PipeCoordinate at) const {
        return coordinates.at(static_cast<std::size_t>(at));
    }
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// More visits of a net's stages in a step are refused: a table is made, checked and simulated
/// whole, at some microseconds an action and a few actions a visit.
inline constexpr std::int64_t most_visits = 500'000;

/// What a schedule is generated for. Stage s of a net lives on coordinate s mod P.
struct ScheduleShape {
    StepGraph graph;
    int coordinates = 1;             ///< P, along the pipe axis
    int chunks = 1;                  ///< stages of each net on one coordinate
    std::int64_t micro_batches = 1;  ///< of one rank
    /// Drop what F saved in passes that are redrawable, and run F again before their B: less
    /// memory, same bits.
    bool redraw = false;
    /// Keep only the input of each stage, of all nets, and run its F again before its B.
    bool recompute = false;
    /// Stage s of all nets but the first on coordinate P-1-(s mod P): these nets begin where the
    /// first one ends.
    bool reversed = false;

    [[nodiscard]] int stages() const { return coordinates * chunks; }  ///< of each net
    [[nodiscard]] StageCounts stage_counts() const {
        return {std::vector(graph.nets.size(), stages())};
    }
};

/// Stages of each net that a coordinate holds under a schedule of this name: v for
/// `interleaved:v`, else 1. Throws UsageError for an unknown name, naming the known ones.
[[nodiscard]] int chunks_of(std::string_view name);

/// Whether chunks_of() takes a word for one of its names, well or badly formed.
[[nodiscard]] bool is_schedule_name(std::string_view name);

/// Makes a table by name: `naive` (one micro-batch at a time), `gpipe`, `1f1b`, `interleaved:v`,
/// `zero-bubble` (ZB-H1) and `gan`: the zero-bubble lists of passes that need nothing of each other
/// merged, as D on real tiles beside G's forward, and D beside G in G's update. Every other table
/// goes through the step's parts one after the other on each coordinate, without waiting for the
/// other coordinates in between. One stage has nothing to overlap: then all are the same table, the
/// one that keeps least, where an output is made just before its first consumer takes it. Throws
/// UsageError for an unknown name, for no micro-batches, for chunks that are not the name's, for
/// more than most_visits micro-batches times stages, and for an interleaved table of micro-batches
/// that are no multiple of P; Error for a graph that has a flaw().
[[nodiscard]] Schedule make_schedule(std::string_view name, const ScheduleShape& shape);

/// The pattern of a named schedule for one pass alone, without updates: what the literature draws.
/// Throws as make_schedule does.
[[nodiscard]] Schedule single_pass(std::string_view name, const ScheduleShape& shape, PassId pass);

/// Where a table's stages live.
class StagePlacement {
public:
    /// A placement over `coordinates` coordinates, none of which holds anything yet.
    explicit StagePlacement(int coordinates);
    /// Puts a stage of a net on a coordinate; does nothing when it has its place already.
    void place(NetId net, StageId stage, PipeCoordinate coordinate);

    [[nodiscard]] int coordinates() const;
    /// The coordinate of a stage; nothing for one that the table does not name.
    [[nodiscard]] std::optional<PipeCoordinate> find(NetId net, StageId stage) const;
    /// The coordinate of a stage. Precondition: the table names it, as a checked one does.
    [[nodiscard]] PipeCoordinate coordinate_of(NetId net, StageId stage) const;
    /// The stages of a net that a coordinate holds, ascending.
    [[nodiscard]] std::vector<StageId> stages_of(NetId net, PipeCoordinate coordinate) const;

private:
    int coordinates_ = 0;
    /// Ascending by stage. A search among few is quicker than a tree, and the simulator asks often.
    std::vector<std::pair<std::pair<NetId, StageId>, PipeCoordinate>> homes_;
};
/// Where the stages of a table live: each on the coordinate of its first action.
[[nodiscard]] StagePlacement placement_of(const Schedule& schedule);
/// Those of one coordinate alone, as its own list tells: quicker where no others are asked for.
[[nodiscard]] StagePlacement placement_of(const Schedule& schedule, PipeCoordinate coordinate);

/// The stages of each net of a graph that have their place.
[[nodiscard]] StageCounts stages_in(const StagePlacement& placement, const StepGraph& graph);

/// The action whose result `action` takes as its input or output gradient, by a message when it is
/// elsewhere; none where the task's data or its loss is, and for a pass that finds its input where
/// an earlier one left it. BW counts as B.
[[nodiscard]] std::optional<Action> producer_of_input(const StepGraph& graph, const Action& action,
                                                      const StageCounts& stages);

/// The mirror of it: the action that takes the result of `action`, named B for BW; none where the
/// task's loss or nobody does, as of an output that F has handed on before its redraw.
[[nodiscard]] std::optional<Action> consumer_of_output(const StepGraph& graph, const Action& action,
                                                       const StageCounts& stages);

/// The action by which producer_of_input names what `action` makes: B for BW, itself else.
[[nodiscard]] Action output_of(const Action& action);

[[nodiscard]] std::string_view to_string(Kind kind);
/// An action as a table spells it: `D0.real.F3`, `G0.generate.W2`, `D1.gather`, `G.step`.
[[nodiscard]] std::string to_string(const StepGraph& graph, const Action& action);
/// A table as text: a line `schedule NAME`, then one action a word, one coordinate a line.
[[nodiscard]] std::string to_string(const Schedule& schedule);
/// Reads a table of this graph as to_string() writes it; `#` starts a comment. Throws UsageError
/// with the file, if it came from one, line and word.
[[nodiscard]] Schedule parse_schedule(const StepGraph& graph, std::string_view text,
                                      std::string_view file = {});

/// Checks a table by a dry run: no coordinate blocks; every F precedes its B precedes
/// its W; W ascends within a pass, and those of a net's passes follow each other; every action of
/// the step is done exactly once (BW counts as B and W), all of a stage on one coordinate; a
/// redraw or recompute comes between its F and its B, and a micro-batch is redrawn by all stages of
/// a net or by none; where a stage of a net lives the net is reduced after its last W, then
/// updated; an update precedes the passes that wait for it on every coordinate (so every F of a
/// GAN's G precedes every B of it). A table that gathers weights does so before any action reads
/// them, once at a time, and has released them when their net is updated and at its end. A table
/// may place stages, redraw and recompute as it likes. `micro_batches`: of a rank. Throws
/// UsageError naming the first action that breaks a rule or is missing.
void check_schedule(const Schedule& schedule, const StageCounts& stages,
                    std::int64_t micro_batches);
/// Checks a table for the stages and micro-batches of a shape.
void check_schedule(const Schedule& schedule, const ScheduleShape& shape);

}  // namespace civitas::schedule
