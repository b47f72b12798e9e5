#include "support/torch.hpp"

#include "civitas/parallel/executor.hpp"
#include "civitas/schedule/gan.hpp"
#include "gan_step.hpp"
#include "small_step.hpp"

using namespace civitas;
using namespace civitas::optim;
using namespace civitas::parallel;
using namespace civitas::test;

namespace {

double relative_error(const at::Tensor& a, const at::Tensor& b) {
    return ((a - b).norm() / b.norm()).item<double>();
}

void check_same(const std::vector<at::Tensor>& ours, const std::vector<at::Tensor>& theirs) {
    REQUIRE(ours.size() == theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        INFO("tensor " << i);
        CHECK(relative_error(ours[i], theirs[i]) < 1e-10);
    }
}

std::vector<schedule::Action> table(std::int64_t micro_batches, bool redraw = false) {
    const schedule::ScheduleShape shape{
        .graph = schedule::gan::graph(), .micro_batches = micro_batches, .redraw = redraw};
    const auto schedule = schedule::make_schedule("1f1b", shape);
    schedule::check_schedule(schedule, shape);
    return schedule.coordinates[0];
}

nn::Stage stage_of(std::int64_t bytes, CountingLayer::Calls& calls) {
    std::vector<std::unique_ptr<nn::Layer>> layers;
    layers.push_back(std::make_unique<CountingLayer>(bytes, calls));
    return nn::Stage(std::move(layers));
}

/// Notes what samples it is told of.
class DrawingLayer final : public CountingLayer {
public:
    DrawingLayer(Calls& calls, std::vector<nn::SampleRange>& told)
        : CountingLayer(100, calls), told_(told) {}
    [[nodiscard]] nn::Forward forward_of(const at::Tensor& x,
                                         const nn::SampleRange& samples) const override {
        told_.push_back(samples);
        return forward(x);
    }

private:
    std::vector<nn::SampleRange>& told_;
};

/// Micro-batches of three samples.
class SampledTask final : public SmallTask {
public:
    nn::SampleRange samples(schedule::PassId pass, LocalMicroBatch micro) override {
        return {Seed{7}, Sample{100 * static_cast<int>(pass) + 3 * index(micro)}};
    }
};

}  // namespace

TEST_CASE("F is told of its samples, and when it is made again of the same ones") {
    const schedule::ScheduleShape shape{
        .graph = schedule::gan::graph(), .micro_batches = 2, .recompute = true};
    const auto schedule = schedule::make_schedule("1f1b", shape);
    const net::ArenaLayout layout({});
    CountingLayer::Calls calls;
    std::vector<nn::SampleRange> of_g, of_d;
    const auto stage = [&](std::vector<nn::SampleRange>& told) {
        std::vector<std::unique_ptr<nn::Layer>> layers;
        layers.push_back(std::make_unique<DrawingLayer>(calls, told));
        return nn::Stage(std::move(layers));
    };
    const auto g = stage(of_g), d = stage(of_d);
    LeafSum g_leaves(layout, {{0, 0}}, {2, 1}, at::kFloat, at::kCPU);
    LeafSum d_leaves(layout, {{0, 0}}, {2, 2}, at::kFloat, at::kCPU);
    SampledTask task;
    Executor executor({{{{first_stage, &g, 0}}, &g_leaves}, {{{first_stage, &d, 0}}, &d_leaves}},
                      task, {.graph = schedule::gan::graph()});
    executor.run(schedule.coordinates[0]);
    std::map<std::int64_t, int> times;
    for (const auto& told : {of_g, of_d})
        for (const nn::SampleRange& samples : told) {
            CHECK(samples.seed == Seed{7});
            ++times[index(samples.first)];
        }
    CHECK(times.size() == 8);
    for (const int micro : {0, 1})
        CHECK(times[100 * static_cast<int>(schedule::gan::generate) + 3 * micro] == 2);
}

TEST_CASE("nothing needless is computed, and the peak is known to the byte") {
    const net::ArenaLayout layout({});
    for (const bool redraw : {false, true}) {
        CountingLayer::Calls g_calls, d_calls;
        const auto g = stage_of(1000, g_calls);
        const auto d = stage_of(100, d_calls);
        LeafSum g_leaves(layout, {{0, 0}}, {2, 1}, at::kFloat, at::kCPU);
        LeafSum d_leaves(layout, {{0, 0}}, {2, 2}, at::kFloat, at::kCPU);
        SmallTask task;
        Executor executor(
            {{{{first_stage, &g, 0}}, &g_leaves}, {{{first_stage, &d, 0}}, &d_leaves}}, task,
            {.graph = schedule::gan::graph()});
        executor.run(table(2, redraw));
        CHECK((g_calls == CountingLayer::Calls{redraw ? 4 : 2, 0, 2}));
        CHECK((d_calls == CountingLayer::Calls{6, 2, 4}));
        // Two of G with their fakes, one of D with its gradient; or one of G, the other's fake and
        // a fake or gradient of its own. Images and gradients are 8 bytes.
        CHECK(executor.peak_bytes() == (redraw ? 1000 + 8 + 8 : 2 * 1008 + 108));
    }
}

TEST_CASE("a step equals autograd's, for any number of micro-batches") {
    for (std::int64_t m = 1; m <= 4; ++m) {
        const auto expected = autograd_step(m);
        TinyGan gan(m);
        TinyTask task(gan, m);
        Executor executor(gan.parts(), task, {.graph = schedule::gan::graph()});
        executor.run(table(m));
        check_same(task.discriminator_gradients, expected.discriminator_gradients);
        check_same(task.generator_gradients, expected.generator_gradients);
        check_same(task.logits, expected.logits);
        REQUIRE(task.observed.size() == static_cast<std::size_t>(3 * m));
        for (const auto& [visit, statistics] : task.observed) {
            check_same({statistics.mean_C, statistics.variance_C}, expected.observed.at(visit));
        }
    }
}

TEST_CASE("redrawing gives the same bits, observes nothing twice and keeps less") {
    std::vector<at::Tensor> gradients;
    std::int64_t peak = 0;
    for (const bool redraw : {false, true}) {
        TinyGan gan(3);
        TinyTask task(gan, 3);
        Executor executor(gan.parts(), task, {.graph = schedule::gan::graph()});
        executor.run(table(3, redraw));
        CHECK(task.observations == 9);
        auto all = task.generator_gradients;
        all.insert(all.end(), task.discriminator_gradients.begin(),
                   task.discriminator_gradients.end());
        if (redraw) {
            for (std::size_t i = 0; i < all.size(); ++i) CHECK(at::equal(all[i], gradients[i]));
            CHECK(executor.peak_bytes() < peak);
        }
        gradients = all;
        peak = executor.peak_bytes();
    }
}

TEST_CASE("a second step on the same tables, and one after an error, start clean") {
    TinyGan twin(2);
    TinyTask expected(twin, 2);
    Executor fresh(twin.parts(), expected, {.graph = schedule::gan::graph()});
    fresh.run(table(2));
    TinyGan gan(2);
    TinyTask task(gan, 2);
    Executor executor(gan.parts(), task, {.graph = schedule::gan::graph()});
    for (const schedule::Action& bad : table(2)) {
        if (bad.net == schedule::gan::generator || bad.kind != schedule::Kind::F ||
            bad.pass == schedule::gan::d_generate)
            continue;
        task.fails_at = bad;
        CHECK_THROWS_WITH(executor.run(table(2)), "made to fail");
    }
    task.fails_at.reset();
    executor.run(table(2));
    CHECK(at::equal(gan.generator.weights.flat(), twin.generator.weights.flat()));
    CHECK(at::equal(gan.discriminator.weights.flat(), twin.discriminator.weights.flat()));
    fresh.run(table(2));
    executor.run(table(2));
    CHECK(at::equal(gan.generator.weights.flat(), twin.generator.weights.flat()));
    CHECK_FALSE(at::equal(gan.generator.weights.flat(), TinyGan(2).generator.weights.flat()));
}
