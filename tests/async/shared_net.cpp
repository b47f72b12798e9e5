#include "support/tensor.hpp"

#include "civitas/async/shared_net.hpp"
#include "support/agree.hpp"

#include <ATen/ops/equal.h>

using namespace civitas;
using comm::Communicator;

namespace {

/// Weights of two layers, of more than one slice, and who updates them.
class SharedWeights {
public:
    SharedWeights(optim::SharedModel* shared, double ema, net::KernelSet kernels)
        : layout_({{"a.weight", {300, 300}, net::Initializer::zero},
                   {"b.weight", {70}, net::Initializer::zero}}),
          weights_(layout_, net::all_of(layout_), at::kFloat, at::kCPU) {
        for (const optim::ShardRows& rows : weights_.rows()) rows.view.fill_(0.5);
        const optim::UpdaterOptions options{
            .adam = {.learning_rate = 0.1, .kernels = kernels}, .ema = ema, .leaves = {2, 2}};
        const std::vector<Range> layers{{0, 1}, {1, 1}};
        updater_ = shared != nullptr ? shared->make_updater({layout_, weights_}, layers, options)
                                     : optim::make_updater({layout_, weights_}, layers, options);
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

}  // namespace

TEST_CASE("one rank that shares its weights with nobody makes the updates of one that does not") {
    const auto world = Communicator::world();
    if (world.size() > 1) return;
    const comm::Revocation revocation(world);
    const comm::NodeCollectives node(world, 0, revocation);
    for (const AsyncMoments moments : {AsyncMoments::shared, AsyncMoments::own})
        for (const net::KernelSet kernels : {net::KernelSet::aten, net::KernelSet::fast}) {
            async::SharedNet net(node, moments);
            SharedWeights shared(&net, 0.9, kernels), plain(nullptr, 0.9, kernels);
            for (int step = 0; step < 3; ++step) shared.step(step), plain.step(step);
            CHECK(at::equal(shared.flat(), plain.flat()));
            CHECK(at::equal(shared.updater().whole_mean()->flat(),
                            plain.updater().whole_mean()->flat()));
            CHECK(at::equal(shared.updater().state().first_moment.flat(),
                            plain.updater().state().first_moment.flat()));
        }
}

TEST_CASE("what ranks made of shared weights, each when it was ready, all of them see") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const comm::NodeCollectives node(world, 0, revocation);
    for (const AsyncMoments moments : {AsyncMoments::shared, AsyncMoments::own}) {
        async::SharedNet net(node, moments);
        SharedWeights shared(&net, 0.9, net::KernelSet::fast);
        const at::Tensor before = shared.flat().clone();
        for (int step = 0; step < 20; ++step) shared.step(step * world.size());
        world.barrier();
        net.refresh();
        CHECK_FALSE(at::equal(shared.flat(), before));
        CHECK(shared.flat().isfinite().all().item<bool>());
        const std::vector<float> mine(shared.flat().data_ptr<float>(),
                                      shared.flat().data_ptr<float>() + shared.flat().numel());
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

TEST_CASE("ranks change shared statistics one after the other") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const comm::NodeCollectives node(world, 0, revocation);
    async::SharedNet net(node, AsyncMoments::shared);
    const std::vector<at::Tensor> mine{at::zeros({3}), at::zeros({2})};
    net.hold(optim::StatisticsKind::running, mine);
    for (int i = 0; i < 100; ++i)
        net.change(optim::StatisticsKind::running, mine, [&] { mine[1].add_(1); });
    world.barrier();
    net.change(optim::StatisticsKind::running, mine, [] {});
    CHECK((mine[0] == 0).all().item<bool>());
    CHECK((mine[1] == 100 * world.size()).all().item<bool>());
}
