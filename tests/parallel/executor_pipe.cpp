#include "support/torch.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/comm/mailbox.hpp"
#include "civitas/parallel/simulator.hpp"
#include "schedule_tables.hpp"
#include "small_step.hpp"

#include <chrono>
#include <iostream>
#include <thread>

// Tables of several coordinates, run by ranks, against the same tables on paper.

using namespace civitas;
using namespace civitas::parallel;
using namespace civitas::test;

namespace {

/// What sleeping came to: a machine with other work wakes late.
struct Slept {
    std::int64_t naps = 0;
    double seconds = 0;
};

/// Hands its input on. F, B and W each take a while, and say how long it was.
class SleepingLayer : public nn::Layer {
public:
    SleepingLayer(std::chrono::milliseconds nap, Slept& slept) : nap_(nap), slept_(slept) {}

    [[nodiscard]] nn::Forward forward(const at::Tensor& x) const override {
        sleep();
        return {x.clone(), {}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override { return x; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            nn::Saved& /*saved*/) const override {
        sleep();
        return gy.clone();
    }
    [[nodiscard]] nn::NeededByW needed_by_weights() const override { return nn::NeededByW::saved; }
    void backward_weights(const at::Tensor& /*gy*/, nn::Saved& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {
        sleep();
    }

private:
    void sleep() const {
        if (nap_.count() == 0) return;
        const Stopwatch watch;
        std::this_thread::sleep_for(nap_);
        slept_.seconds += watch.seconds();
        ++slept_.naps;
    }
    std::chrono::milliseconds nap_;
    Slept& slept_;
};

/// This rank's stages of both nets. The layer in front of a stage costs nothing, so that B of the
/// one that does is never left out.
class Stages {
public:
    Stages(const Schedule& schedule, int here, std::chrono::milliseconds nap)
        : placement_(placement_of(schedule)), here_(here) {
        for (const Net net : {Net::generator, Net::discriminator})
            for (const int stage : placement_.stages_of(net, here))
                stages_.emplace(std::pair(net, stage), two_layers(nap));
    }

    struct Outcome {
        KeptPeak kept;
        Slept slept;
        double seconds = 0;  ///< from when all ranks began
    };
    Outcome run(const Schedule& schedule, const ScheduleShape& shape,
                const comm::Communicator& ranks) {
        const std::vector<nn::ImageShape> seams(static_cast<std::size_t>(shape.stages()) + 1,
                                                {1, 1, 1});
        comm::Mailbox mailbox(ranks);
        SmallEnvironment environment;
        const ArenaLayout layout({});
        const std::vector<Range> groups(2 * static_cast<std::size_t>(shape.chunks), {0, 0});
        LeafSum g(layout, groups, {shape.micro_batches, 1}, at::kFloat, at::kCPU);
        LeafSum d(layout, groups, {shape.micro_batches, 2}, at::kFloat, at::kCPU);
        Executor executor(parts_of(Net::generator, g), parts_of(Net::discriminator, d), environment,
                          {.placement = placement_,
                           .here = here_,
                           .transport = &mailbox,
                           .generator_seams = seams,
                           .discriminator_seams = seams,
                           .micro_batch = 1,
                           .like = at::kDouble});
        slept_ = {};
        ranks.barrier();
        const Stopwatch watch;
        executor.run(schedule.coordinates.at(static_cast<std::size_t>(here_)));
        mailbox.flush();
        const double seconds = watch.seconds();
        ranks.barrier();
        return {executor.peak_kept(), slept_, seconds};
    }

private:
    nn::Stage two_layers(std::chrono::milliseconds nap) {
        std::vector<std::unique_ptr<nn::Layer>> layers;
        layers.push_back(std::make_unique<SleepingLayer>(std::chrono::milliseconds(0), slept_));
        layers.push_back(std::make_unique<SleepingLayer>(nap, slept_));
        return nn::Stage(std::move(layers));
    }

    NetParts parts_of(Net net, LeafSum& leaves) const {
        NetParts parts{{}, &leaves};
        for (const int stage : placement_.stages_of(net, here_))
            parts.stages.push_back({stage, &stages_.at({net, stage}), 2 * parts.stages.size()});
        return parts;
    }

    Placement placement_;
    int here_;
    std::map<std::pair<Net, int>, nn::Stage> stages_;
    Slept slept_;
};

Stages::Outcome run_here(const comm::Communicator& ranks, const Schedule& schedule,
                         const ScheduleShape& shape, std::chrono::milliseconds nap) {
    return Stages(schedule, index(ranks.rank()), nap).run(schedule, shape, ranks);
}

/// Share of the ranks' time in which they do not sleep.
struct Bubble {
    double measured = 0;
    double simulated = 0;  ///< with naps as long, and messages as late, as sleepers were to wake
};
Bubble bubble_of(const comm::Communicator& ranks, const std::string& name, double nap_s) {
    const ScheduleShape shape = shape_of(name, ranks.size(), ranks.size());
    const Schedule schedule = make_schedule(name, shape);
    const auto mine =
        run_here(ranks, schedule, shape, std::chrono::milliseconds(static_cast<int>(1000 * nap_s)));
    Slept all;
    for (const Slept& s : ranks.all_gather(mine.slept)) {
        all.naps += s.naps;
        all.seconds += s.seconds;
    }
    const double mean = all.seconds / static_cast<double>(all.naps);
    Costs costs = unit_costs(shape);
    for (auto* stages : {&costs.generator, &costs.discriminator})
        for (StageCosts& s : *stages)
            s.forward_s = s.backward_input_s = s.backward_weights_s = mean;
    costs.latency_s = mean - nap_s;
    return {1 - all.seconds / (ranks.max(mine.seconds) * ranks.size()),
            simulate(schedule, costs).bubble()};
}

}  // namespace

TEST_CASE("the micro-batches kept at most are those of the simulator, in every table") {
    const auto ranks = comm::Communicator::world();
    const int here = index(ranks.rank());
    for_all_tables([&](const std::string& name, const ScheduleShape& shape) {
        if (shape.coordinates != ranks.size()) return;
        const Schedule schedule = make_schedule(name, shape);
        const auto kept = run_here(ranks, schedule, shape, std::chrono::milliseconds(0)).kept;
        INFO(to_string(schedule));
        CHECK((kept == memory_peak(schedule, here, unit_costs(shape)).kept));
        if (shape.recompute) return;
        const std::int64_t m = shape.micro_batches;
        const int d = shape.reversed_discriminator ? ranks.size() - 1 - here : here;
        if (name == "1f1b") {
            CHECK(kept.discriminator == std::min<std::int64_t>(ranks.size() - d, m));
            CHECK(kept.generator ==
                  (shape.redraw ? std::min<std::int64_t>(ranks.size() - here, m) : m));
        }
        if (name == "gpipe") CHECK((kept == KeptPeak{m, m}));
    });
}

TEST_CASE("the idle share of stages that sleep is the simulator's") {
    const auto ranks = comm::Communicator::world();
    for (const std::string name : {"1f1b", "zero-bubble", "gan"}) {
        Bubble bubble;
        const auto fits = [&] { return bubble.measured == Approx(bubble.simulated).epsilon(0.15); };
        for (const double nap_s : {0.02, 0.05, 0.2, 0.5}) {
            bubble = bubble_of(ranks, name, nap_s);
            if (ranks.is_root())
                std::cout << name << ", P = M = " << ranks.size() << ", naps of " << nap_s
                          << " s: idle " << 100 * bubble.measured << " % measured, "
                          << 100 * bubble.simulated << " % simulated" << std::endl;
            if (fits()) break;
        }
        INFO(name << ": " << bubble.measured << " measured, " << bubble.simulated << " simulated");
        CHECK(fits());
    }
}
