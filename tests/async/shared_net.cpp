#include "support/tensor.hpp"

#include "civitas/async/shared_net.hpp"
#include "memory/gpu_memory.hpp"
#include "support/agree.hpp"
#include "support/shared_gpu.hpp"

#include <ATen/ops/equal.h>
#include <atomic>

using namespace civitas;
using comm::Communicator;

namespace {

/// Weights of two layers, of more than one slice, and who updates them.
class SharedWeights {
public:
    SharedWeights(optim::SharedModel* shared, double ema, net::KernelSet kernels, at::Device device,
                  OptimizerKind kind = OptimizerKind::adam)
        : layout_({{"a.weight", {300, 300}, net::Initializer::zero},
                   {"b.weight", {70}, net::Initializer::zero}}),
          weights_(layout_, net::all_of(layout_), at::kFloat, device) {
        for (const optim::ShardRows& rows : weights_.rows()) rows.view.fill_(0.5);
        const optim::UpdaterOptions options{.optimizer = {.kind = kind,
                                                          .learning_rate = 0.1,
                                                          .weight_decay = 0.01,
                                                          .schedule = {.warmup_steps = 2},
                                                          .kernels = kernels},
                                            .ema = ema,
                                            .leaves = {2, 2}};
        const std::vector<Range> layers{{0, 1}, {1, 1}};
        const optim::Parameters parameters{layout_, weights_, nullptr, device};
        updater_ = shared != nullptr ? shared->make_updater(parameters, layers, options)
                                     : optim::make_updater(parameters, layers, options);
    }
    void step(int number) {
        updater_->restart();
        for (int leaf = 0; leaf < 4; ++leaf)
            for (std::size_t layer = 2; layer-- > 0;) {
                for (const at::Tensor& place : updater_->leaf(layer))
                    place.copy_(at::arange(place.numel(), at::kFloat)
                                    .mul_(number + 0.3 * leaf)
                                    .sin_()
                                    .view(place.sizes()));
                updater_->push(layer);
            }
        updater_->reduce();
        updater_->step();
    }
    [[nodiscard]] optim::Updater& updater() { return *updater_; }
    [[nodiscard]] const at::Tensor& flat() const { return weights_.flat(); }

private:
    net::ArenaLayout layout_;
    optim::ArenaShard weights_;
    std::unique_ptr<optim::Updater> updater_;
};

/// Where ranks share, and what computes there.
struct Place {
    at::Device device;
    std::unique_ptr<memory::SharedMemory> memory;
};

/// Memory of a node that counts how often a rank waits for what it has told the device to do.
class CountedMemory final : public memory::SharedMemory {
public:
    explicit CountedMemory(const Communicator& ranks)
        : SharedMemory(ranks), node_(memory::shared_memory(ranks, at::kCPU)) {}
    [[nodiscard]] at::Tensor zeros(std::int64_t elements, at::ScalarType type) const override {
        return node_->zeros(elements, type);
    }
    void finish() const override { ++finished_; }
    /// Since it was asked before.
    [[nodiscard]] int finished() const { return finished_.exchange(0); }

private:
    std::unique_ptr<memory::SharedMemory> node_;
    mutable std::atomic<int> finished_ = 0;  // slices are updated by threads
};

/// Their node, and a GPU where there is one, or one is pretended.
std::vector<Place> places(const Communicator& world) {
    std::vector<Place> all;
    all.push_back({at::kCPU, memory::shared_memory(world, at::kCPU)});
    if (const auto gpu = test::shared_gpu()) all.push_back({*gpu, memory::gpu_memory(world, *gpu)});
    return all;
}

}  // namespace

TEST_CASE("one rank that shares its weights with nobody makes the updates of one that does not") {
    const auto world = Communicator::world();
    if (world.size() > 1) return;
    for (const auto& [device, memory] : places(world))
        for (const AsyncMoments moments : {AsyncMoments::shared, AsyncMoments::own})
            for (const auto& [kernels, kind] :
                 {std::pair{net::KernelSet::aten, OptimizerKind::adam},
                  {net::KernelSet::fast, OptimizerKind::adam},
                  {net::KernelSet::fast, OptimizerKind::sgd}}) {
                async::SharedNet net(*memory, moments);
                SharedWeights shared(&net, 0.9, kernels, device, kind);
                SharedWeights plain(nullptr, 0.9, kernels, device, kind);
                for (int step = 0; step < 3; ++step) shared.step(step), plain.step(step);
                CHECK(at::equal(shared.flat(), plain.flat()));
                CHECK(at::equal(shared.updater().whole_mean()->flat(),
                                plain.updater().whole_mean()->flat()));
                const auto& here = shared.updater().state().moments;
                const auto& there = plain.updater().state().moments;
                REQUIRE(here.size() == there.size());
                for (std::size_t i = 0; i < here.size(); ++i)
                    CHECK(at::equal(here[i].values.flat(), there[i].values.flat()));
            }
}

TEST_CASE("what ranks made of shared weights, each when it was ready, all of them see") {
    const auto world = Communicator::world();
    for (const auto& [device, memory] : places(world))
        for (const AsyncMoments moments : {AsyncMoments::shared, AsyncMoments::own}) {
            async::SharedNet net(*memory, moments);
            SharedWeights shared(&net, 0.9, net::KernelSet::fast, device);
            const at::Tensor before = shared.flat().clone();
            for (int step = 0; step < 20; ++step) shared.step(step * world.size());
            world.barrier();
            net.refresh();
            CHECK_FALSE(at::equal(shared.flat(), before));
            CHECK(shared.flat().isfinite().all().item<bool>());
            const at::Tensor here = shared.flat().cpu();
            const std::vector<float> mine(here.data_ptr<float>(),
                                          here.data_ptr<float>() + here.numel());
            REQUIRE_ALL(world, world.broadcast(mine) == mine);
            world.barrier();
            // The root's weights, as loaded, become those of all.
            if (world.is_root()) {
                shared.flat().fill_(0.25);
                net.publish();
            }
            world.barrier();
            net.refresh();
            REQUIRE_ALL(world, (shared.flat() == 0.25).all().item<bool>());
            world.barrier();
        }
}

TEST_CASE("a rank gives no turn away before the device has done what it was told") {
    const auto world = Communicator::world();
    if (world.size() > 1) return;
    const CountedMemory memory(world);
    async::SharedNet net(memory, AsyncMoments::shared);
    SharedWeights shared(&net, 0.9, net::KernelSet::fast, at::kCPU);
    constexpr int before = 1, slices = 2, of_mean = 1;
    CHECK(memory.finished() == slices + of_mean);
    shared.step(0);
    CHECK(memory.finished() == before + slices);
    net.refresh();
    CHECK(memory.finished() == 0);
    net.publish();
    CHECK(memory.finished() == slices);
    shared.updater().start_mean();
    CHECK(memory.finished() == of_mean);
    const std::vector<at::Tensor> mine{at::zeros({3})};
    net.hold(optim::StatisticsKind::mean, mine);
    CHECK(memory.finished() == 1);
    net.change(optim::StatisticsKind::mean, mine, [] {});
    CHECK(memory.finished() == before + 1);
    net.publish(optim::StatisticsKind::mean, mine);
    CHECK(memory.finished() == 1);
}

TEST_CASE("ranks change shared statistics one after the other") {
    const auto world = Communicator::world();
    for (const auto& [device, memory] : places(world)) {
        async::SharedNet net(*memory, AsyncMoments::shared);
        const std::vector<at::Tensor> mine{at::zeros({3}, device), at::zeros({2}, device)};
        net.hold(optim::StatisticsKind::running, mine);
        for (int i = 0; i < 100; ++i)
            net.change(optim::StatisticsKind::running, mine, [&] { mine[1].add_(1); });
        world.barrier();
        net.change(optim::StatisticsKind::running, mine, [] {});
        CHECK((mine[0] == 0).all().item<bool>());
        CHECK((mine[1] == 100 * world.size()).all().item<bool>());
        world.barrier();
    }
}
