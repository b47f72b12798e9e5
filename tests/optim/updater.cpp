#include "support/tensor.hpp"

#include "civitas/comm/node_collectives.hpp"
#include "civitas/optim/updater.hpp"
#include "support/agree.hpp"

#include <limits>

using namespace civitas;
using namespace civitas::optim;
using comm::Communicator;

namespace {

/// Weights of four layers, of which the second has none, the third is divided together with the
/// first, and the last apart, and who updates them.
class SmallNet {
public:
    explicit SmallNet(UpdaterOptions options)
        : layout_({{"a.weight", {36, 32, 2, 2}, net::Initializer::zero},
                   {"n.weight", {100}, net::Initializer::zero},
                   {"b.weight", {5000}, net::Initializer::zero},
                   {"b.bias", {2}, net::Initializer::zero}}),
          weights_(shares_weights(options)
                       ? ArenaShard(layout_, options.data->node_tensor(layout_.size(), at::kDouble))
                       : ArenaShard(layout_, net::all_of(layout_), at::kDouble, at::kCPU)),
          counts_(options.leaves),
          updater_(make_updater({layout_, weights_}, {{0, 1}, {1, 0}, {1, 1}, {2, 2}}, options)) {
        for (const ShardRows& rows : weights_.rows()) rows.view.fill_(0.5);
    }
    [[nodiscard]] Updater& updater() const { return *updater_; }
    [[nodiscard]] const at::Tensor& flat() const { return weights_.flat(); }

    /// Leaves whose sum has other bits in another order; `worst` is added to one of b.bias.
    void push_leaves(int rank, double worst = 0) const {
        for (std::int64_t leaf = 0; leaf < counts_.passes * counts_.per_pass; ++leaf)
            for (std::size_t layer = updater_->layers(); layer-- > 0;) {
                double factor = 1.0 / static_cast<double>(3 + 10 * rank + leaf);
                for (const at::Tensor& place : updater_->leaf(layer)) fill(place, factor *= 1e3);
                if (layer == 3) updater_->leaf(layer).back()[0] += worst;
                updater_->push(layer);
                updater_->progress();
            }
    }

    /// The one leaf of push_leaves(), written without being pushed.
    void replay_leaves(Rank rank) const {
        for (std::size_t layer = updater_->layers(); layer-- > 0;) {
            double factor = 1.0 / static_cast<double>(3 + 10 * index(rank));
            for (const at::Tensor& place : updater_->leaf(layer)) fill(place, factor *= 1e3);
        }
        updater_->recall();
    }

    /// Of leaves that are numbered over ranks, which take them in turn, those of one rank.
    void push_leaves_of_all(int rank, int ranks, bool first_layer_first = false) const {
        const std::size_t layers = updater_->layers();
        for (int pass = 0; pass < counts_.passes; ++pass)
            for (std::int64_t leaf = 0; leaf < counts_.per_pass; ++leaf)
                for (std::size_t i = 0; i < layers; ++i) {
                    const std::size_t layer = first_layer_first ? i : layers - 1 - i;
                    double factor = 1.0 / static_cast<double>(3 + 7 * pass + leaf * ranks + rank);
                    for (const at::Tensor& place : updater_->leaf(layer))
                        fill(place, factor *= 1e3);
                    updater_->push(layer);
                    updater_->progress();
                }
    }

private:
    static void fill(const at::Tensor& place, double factor) {
        place.copy_(
            at::arange(place.numel(), at::kDouble).sub_(3).mul_(factor).view(place.sizes()));
    }

    net::ArenaLayout layout_;
    ArenaShard weights_;
    schedule::LeafCounts counts_;
    std::unique_ptr<Updater> updater_;
};

UpdaterOptions options_for(const comm::TensorCollectives* data) {
    return {.optimizer = {.learning_rate = 0.1}, .ema = 0.9, .leaves = {3, 2}, .data = data};
}

}  // namespace

TEST_CASE("owners of slices of the optimizer's state make the update of ranks that hold it all") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const comm::MpiCollectives data(world, &revocation);
    struct Case {
        Reduction reduction;
        OptimizerKind kind = OptimizerKind::adam;
        double momentum = 0.9;
    };
    for (const Case& c :
         {Case{Reduction::tree}, Case{Reduction::fast}, Case{Reduction::tree, OptimizerKind::sgd},
          Case{Reduction::tree, OptimizerKind::sgd, 0}}) {
        UpdaterOptions options = options_for(&data);
        options.reduction = c.reduction;
        options.optimizer.kind = c.kind;
        options.optimizer.momentum = c.momentum;
        const SmallNet whole(options);
        options.shard = ShardLevel::optimizer;
        const SmallNet sharded(options);
        for (int step = 0; step < 2; ++step)
            for (const SmallNet* net : {&whole, &sharded}) {
                net->push_leaves(index(world.rank()));
                net->updater().reduce();
                REQUIRE_ALL(world, net->updater().is_finite());
                net->updater().step();
                net->updater().restart();
            }
        REQUIRE_ALL(world, at::equal(whole.flat(), sharded.flat()));
        REQUIRE_ALL(world, at::equal(whole.updater().whole_mean()->flat(),
                                     sharded.updater().whole_mean()->flat()));
        const OptimizerState all = whole.updater().state();
        const OptimizerState own = sharded.updater().state();
        const auto same = [&](const ArenaShard& a, const ArenaShard& b) {
            return at::equal(at::cat(runs_in(a.flat(), b.elements())), b.flat());
        };
        REQUIRE_ALL(world, all.moments.size() == options.optimizer.moments().size());
        for (std::size_t i = 0; i < all.moments.size(); ++i)
            REQUIRE_ALL(world, same(all.moments[i].values, own.moments.at(i).values));
        REQUIRE_ALL(world, same(*all.mean, *own.mean));
        CHECK(world.sum(own.mean->elements().count()) == sharded.flat().numel());
        CHECK(sharded.updater().is_sharded() == (world.size() > 1));
    }
}

TEST_CASE("sums that go on while leaves are made have the bits of those made after them") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const comm::MpiCollectives messages(world, &revocation);
    const comm::NodeCollectives nodes(world, index(world.rank()) / 2, revocation);
    const comm::NodeCollectives one_node(world, 0, revocation);
    for (const comm::TensorCollectives* data :
         {static_cast<const comm::TensorCollectives*>(&messages),
          static_cast<const comm::TensorCollectives*>(&nodes),
          static_cast<const comm::TensorCollectives*>(&one_node)})
        for (const ShardLevel shard : {ShardLevel::none, ShardLevel::optimizer})
            for (const std::int64_t per_rank : {1, 3}) {
                UpdaterOptions options = options_for(data);
                options.leaves = {per_rank, 2};
                options.shard = shard;
                options.node_memory = data != &messages;
                const SmallNet behind(options);
                options.behind = options.node_memory = false;
                options.data = &messages;
                const SmallNet after(options);
                for (int step = 0; step < 2; ++step)
                    for (const SmallNet* net : {&behind, &after}) {
                        net->push_leaves(index(world.rank()));
                        net->updater().reduce();
                        net->updater().step();
                        net->updater().restart();
                    }
                REQUIRE_ALL(world, at::equal(behind.flat(), after.flat()));
            }
}

TEST_CASE("leaves that are summed over ranks at once make the gradient of one rank alone") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const comm::MpiCollectives messages(world, &revocation);
    const comm::NodeCollectives one_node(world, 0, revocation);
    const comm::NodeCollectives nodes(world, index(world.rank()) / 2, revocation);
    const int n = world.size();
    struct Case {
        const comm::TensorCollectives* data;
        std::int64_t per_rank;
        bool behind = true;
        bool first_layer_first = false;  ///< for which the room is too small
        OptimizerKind kind = OptimizerKind::adam;
    };
    for (const Case& c :
         {Case{&messages, 1}, Case{&messages, 2}, Case{&messages, 4, false},
          Case{&messages, 4, true, true}, Case{&one_node, 4}, Case{&one_node, 2, true, true},
          Case{&nodes, 4}, Case{&nodes, 1, false}, Case{&nodes, 2, true, true},
          Case{&messages, 2, true, false, OptimizerKind::sgd},
          Case{&one_node, 2, true, false, OptimizerKind::sgd}}) {
        UpdaterOptions options = options_for(c.data);
        options.optimizer.kind = c.kind;
        options.leaves = {c.per_rank, 2};
        options.shard = ShardLevel::gradients;
        options.behind = c.behind;
        options.node_memory = c.data->nodes() != nullptr && (n > 2 || c.data == &one_node);
        const SmallNet sharded(options);
        options = options_for(nullptr);
        options.optimizer.kind = c.kind;
        options.leaves = {c.per_rank * n, 2};
        const SmallNet alone(options);
        for (int step = 0; step < 2; ++step) {
            sharded.push_leaves_of_all(index(world.rank()), n, c.first_layer_first);
            alone.push_leaves_of_all(0, 1);
            for (const SmallNet* net : {&sharded, &alone}) {
                net->updater().reduce();
                net->updater().step();
                net->updater().restart();
            }
        }
        REQUIRE_ALL(world, at::equal(sharded.flat(), alone.flat()));
        CHECK((n == 1 || sharded.updater().bytes() < alone.updater().bytes()));
    }
}

TEST_CASE("a rank that is alone needs no collectives, and gets the same bits") {
    const Communicator self = Communicator::self();
    const comm::MpiCollectives data(self);
    const SmallNet with(options_for(&data));
    const SmallNet without(options_for(nullptr));
    for (const SmallNet* net : {&with, &without}) {
        net->push_leaves(0);
        net->updater().reduce();
        net->updater().step();
    }
    CHECK(at::equal(with.flat(), without.flat()));
}

TEST_CASE("leaves that were replayed are reduced as those that were pushed, over ranks too") {
    const Communicator world = Communicator::world();
    const comm::MpiCollectives data(world);
    for (const Reduction reduction : {Reduction::tree, Reduction::fast})
        for (const ShardLevel shard : {ShardLevel::none, ShardLevel::optimizer}) {
            UpdaterOptions options = options_for(&data);
            options.leaves = {1, 1};
            options.reduction = reduction;
            options.shard = shard;
            const SmallNet pushed(options), replayed(options);
            for (int step = 0; step < 3; ++step)
                for (const SmallNet* net : {&pushed, &replayed}) {
                    if (net == &replayed && step > 0)
                        net->replay_leaves(world.rank());
                    else
                        net->push_leaves(index(world.rank()));
                    net->updater().reduce();
                    net->updater().step();
                    net->updater().restart();
                }
            CHECK(at::equal(pushed.flat(), replayed.flat()));
        }
}

TEST_CASE("a gradient that is not finite is seen and named by who adds it up") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const comm::MpiCollectives data(world, &revocation);
    for (const ShardLevel shard :
         {ShardLevel::none, ShardLevel::optimizer, ShardLevel::gradients}) {
        UpdaterOptions options = options_for(&data);
        options.shard = shard;
        const SmallNet net(options);
        net.updater().watch();
        const bool last = index(world.rank()) == world.size() - 1;
        net.push_leaves(index(world.rank()), last ? std::numeric_limits<double>::infinity() : 0);
        net.updater().reduce();
        CHECK(world.sum(std::int64_t{net.updater().is_finite() ? 0 : 1}) == 1);
        const auto bad = net.updater().first_non_finite();
        REQUIRE_ALL(world, (bad == "b.bias" ||
                            (net.updater().is_sharded() && net.updater().is_finite() && !bad)));
        REQUIRE_ALL(world, net.updater().first_bad_leaf().has_value() == last);
    }
}

TEST_CASE("weights that were updated by a sum that is not finite can be taken back") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const comm::NodeCollectives node(world, 0, revocation);
    for (const ShardLevel shard : {ShardLevel::none, ShardLevel::gradients}) {
        UpdaterOptions options = options_for(&node);
        options.shard = shard;
        options.node_memory = true;
        const SmallNet net(options);
        Updater& updater = net.updater();
        net.push_leaves(index(world.rank()));
        updater.reduce();
        CHECK(updater.is_updating());
        updater.step();
        CHECK_FALSE(updater.is_updating());
        updater.restart();
        const at::Tensor before = net.flat().clone();
        const bool last = index(world.rank()) == world.size() - 1;
        net.push_leaves(index(world.rank()), last ? std::numeric_limits<double>::infinity() : 0);
        updater.reduce();
        world.barrier();
        REQUIRE_ALL(world, !at::equal(net.flat(), before));
        CHECK(world.sum(std::int64_t{updater.is_finite() ? 0 : 1}) == 1);
        REQUIRE_ALL(world, (updater.is_finite() || updater.first_non_finite() == "b.bias"));
        updater.take_back();
        world.barrier();
        REQUIRE_ALL(world, at::equal(net.flat(), before));
    }
}

TEST_CASE("before its leaves have come there is nothing to reduce") {
    const SmallNet net(options_for(nullptr));
    CHECK_THROWS_WITH(net.updater().reduce(), Catch::Contains("all leaves have come"));
}
