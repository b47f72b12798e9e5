#include "support/tensor.hpp"

#include "civitas/comm/mesh.hpp"
#include "civitas/comm/mpi_point_to_point.hpp"
#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/simulator.hpp"
#include "schedule/tables.hpp"
#include "small_step.hpp"

#include <algorithm>

// Tables of several coordinates, run by ranks, against the same tables on paper.

using namespace civitas;
using namespace civitas::optim;
using namespace civitas::parallel;
using namespace civitas::test;

namespace {

/// The time of one rank where an action takes one unit and a message none (Lamport, "Time, Clocks,
/// and the Ordering of Events in a Distributed System", 1978): tensors carry the time at which they
/// were made, and who takes one is not earlier.
struct LogicalClock {
    double now = 1;  ///< when SmallTask's tensors are made
    std::int64_t actions = 0;

    void act(double earliest) {
        now = std::max(now, earliest) + 1;
        ++actions;
    }
};

/// F, B and W each take one unit of time; what F and B give tells when.
class ClockLayer : public nn::Layer {
public:
    explicit ClockLayer(LogicalClock& clock) : clock_(clock) {}

    [[nodiscard]] nn::Forward forward(const at::Tensor& x) const override {
        return {made_from(x), {}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override { return x; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            nn::SavedTensors& /*saved*/) const override {
        return made_from(gy);
    }
    [[nodiscard]] nn::NeededByW needed_by_weights() const override { return nn::NeededByW::saved; }
    void backward_weights(const at::Tensor& /*gy*/, nn::SavedTensors& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {
        clock_.act(0);
    }

private:
    [[nodiscard]] at::Tensor made_from(const at::Tensor& input) const {
        clock_.act(input.item<double>());
        return at::full_like(input, clock_.now);
    }
    LogicalClock& clock_;
};

/// Hands its input on in no time.
class FreeLayer : public nn::Layer {
public:
    [[nodiscard]] nn::Forward forward(const at::Tensor& x) const override {
        return {x.clone(), {}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override { return x; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            nn::SavedTensors& /*saved*/) const override {
        return gy.clone();
    }
    [[nodiscard]] nn::NeededByW needed_by_weights() const override { return nn::NeededByW::saved; }
    void backward_weights(const at::Tensor& /*gy*/, nn::SavedTensors& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {}
};

/// This rank's stages of both nets. The layer in front of a stage costs nothing, so that B of the
/// one that does is never left out.
class Stages {
public:
    Stages(const schedule::Schedule& schedule, PipeCoordinate here)
        : placement_(schedule::placement_of(schedule)), here_(here) {
        for (const schedule::NetId net : {schedule::gan::generator, schedule::gan::discriminator})
            for (const StageId stage : placement_.stages_of(net, here))
                stages_.emplace(std::pair(net, stage), two_layers());
    }

    struct Outcome {
        schedule::KeptPeak kept;
        LogicalClock clock;
    };
    Outcome run(const schedule::Schedule& schedule, const schedule::ScheduleShape& shape,
                const comm::Communicator& ranks, ActionObserver* observer = nullptr) {
        const std::vector<net::ImageShape> boundary_shapes(
            static_cast<std::size_t>(shape.stages()) + 1, {1, 1, 1});
        comm::MpiPointToPoint mailbox(ranks);
        SmallTask task;
        const net::ArenaLayout layout({});
        const std::vector<Range> groups(2 * static_cast<std::size_t>(shape.chunks), {0, 0});
        LeafSum g(layout, groups, {shape.micro_batches, 1}, at::kFloat, at::kCPU);
        LeafSum d(layout, groups, {shape.micro_batches, 2}, at::kFloat, at::kCPU);
        Executor executor(
            {parts_of(schedule::gan::generator, g), parts_of(schedule::gan::discriminator, d)},
            task,
            {.graph = schedule.graph,
             .placement = placement_,
             .here = here_,
             .transport = &mailbox,
             .boundaries = {boundary_shapes, boundary_shapes},
             .micro_batch = 1,
             .like = at::kDouble});
        clock_ = {};
        executor.run(schedule[here_], observer);
        mailbox.flush();
        ranks.barrier();
        return {executor.peak_kept(), clock_};
    }

private:
    nn::Stage two_layers() {
        std::vector<std::unique_ptr<nn::Layer>> layers;
        layers.push_back(std::make_unique<FreeLayer>());
        layers.push_back(std::make_unique<ClockLayer>(clock_));
        return nn::Stage(std::move(layers));
    }

    NetParts parts_of(schedule::NetId net, LeafSum& leaves) const {
        NetParts parts{{}, &leaves};
        for (const StageId stage : placement_.stages_of(net, here_))
            parts.stages.push_back({stage, &stages_.at({net, stage}), 2 * parts.stages.size()});
        return parts;
    }

    schedule::StagePlacement placement_;
    PipeCoordinate here_;
    std::map<std::pair<schedule::NetId, StageId>, nn::Stage> stages_;
    LogicalClock clock_;
};

Stages::Outcome run_here(const comm::Communicator& ranks, const schedule::Schedule& schedule,
                         const schedule::ScheduleShape& shape) {
    return Stages(schedule, comm::place_on_pipe(ranks.rank())).run(schedule, shape, ranks);
}

/// An action, and the coordinates that it has waited for.
using Told = std::pair<schedule::Action, std::vector<PipeCoordinate>>;

class Listener final : public ActionObserver {
public:
    std::vector<Told> ended;

    void begin(const schedule::Action& action) override {
        begun_ = {action, {}};
        layers_ = 0;
    }
    void at_layer(std::size_t /*layer*/) override { ++layers_; }
    void waiting_for(PipeCoordinate coordinate) override { begun_.second.push_back(coordinate); }
    void end(const schedule::Action& action, double waited_s) override {
        CHECK(action == begun_.first);
        CHECK((layers_ > 0) == schedule::of_visit(action.kind));
        CHECK((waited_s == 0 || !begun_.second.empty()));
        ended.push_back(begun_);
    }

private:
    Told begun_;
    int layers_ = 0;
};

/// Share of the ranks' time in which they do nothing.
double idle_share(const comm::Communicator& ranks, const LogicalClock& mine) {
    const double makespan = ranks.max(mine.now - LogicalClock{}.now);
    const auto actions = static_cast<double>(ranks.sum(mine.actions));
    return 1 - actions / (makespan * ranks.size());
}

}  // namespace

TEST_CASE("the micro-batches kept at most are those of the simulator, in every table") {
    const auto ranks = comm::Communicator::world();
    const int here = index(ranks.rank());
    for_all_tables([&](const std::string& name, const schedule::ScheduleShape& shape) {
        if (shape.coordinates != ranks.size()) return;
        const schedule::Schedule schedule = schedule::make_schedule(name, shape);
        const auto kept = run_here(ranks, schedule, shape).kept;
        INFO(to_string(schedule));
        CHECK((kept == schedule::memory_peak(schedule, PipeCoordinate{here},
                                             schedule::unit_costs(shape.graph, shape))
                           .kept));
        if (shape.recompute) return;
        const std::int64_t m = shape.micro_batches;
        const int d = shape.reversed ? ranks.size() - 1 - here : here;
        if (name == "1f1b") {
            CHECK(kept.at(1) == std::min<std::int64_t>(ranks.size() - d, m));
            CHECK(kept.at(0) ==
                  (shape.redraw ? std::min<std::int64_t>(ranks.size() - here, m) : m));
        }
        if (name == "gpipe") CHECK((kept == schedule::KeptPeak{m, m}));
    });
}

// B and W in place of BW: on paper BW hands its gradient on when both are done.
TEST_CASE("the idle share of ranks is the simulator's, in every table") {
    const auto ranks = comm::Communicator::world();
    for_all_tables([&](const std::string& name, const schedule::ScheduleShape& shape) {
        if (shape.coordinates != ranks.size()) return;
        const schedule::Schedule schedule = apart(schedule::make_schedule(name, shape));
        schedule::Costs costs = schedule::unit_costs(shape.graph, shape);
        for (auto& stages : costs.nets)
            for (schedule::StageCosts& s : stages)
                s.forward_s = s.backward_input_s = s.backward_weights_s = 1;
        INFO(to_string(schedule));
        CHECK(idle_share(ranks, run_here(ranks, schedule, shape).clock) ==
              Approx(schedule::simulate(schedule, costs).bubble()).margin(1e-12));
    });
}

TEST_CASE("observers are told of every action, its layers, and the coordinate that it waits for") {
    const auto ranks = comm::Communicator::world();
    const PipeCoordinate here = comm::place_on_pipe(ranks.rank());
    const schedule::ScheduleShape shape{
        .graph = schedule::gan::graph(), .coordinates = ranks.size(), .micro_batches = 3};
    const schedule::Schedule schedule = schedule::make_schedule("1f1b", shape);
    Listener listener;
    Listener other;
    ActionObservers both;
    both.add(listener);
    both.add(other);
    (void)Stages(schedule, here).run(schedule, shape, ranks, &both);
    std::vector<Told> expected;
    const schedule::StagePlacement placement = schedule::placement_of(schedule);
    for (const schedule::Action& action : schedule[here]) {
        Told& told = expected.emplace_back(action, std::vector<PipeCoordinate>{});
        const auto made = schedule::producer_of_input(shape.graph, action, shape.stage_counts());
        if (!made) continue;
        const PipeCoordinate from = placement.coordinate_of(made->net, made->stage);
        if (from != here) told.second.push_back(from);
    }
    CHECK((listener.ended == expected));
    CHECK((other.ended == expected));
}
