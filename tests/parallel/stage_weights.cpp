#include "support/tensor.hpp"

#include "civitas/comm/revocation.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/parallel/executor.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/sharded_weights.hpp"
#include "civitas/schedule/simulator.hpp"
#include "support/agree.hpp"
#include "tiny_nets.hpp"

// Steps of ranks that each keep a part of the weights, against those of one that has all.

using namespace civitas;
using namespace civitas::optim;
using namespace civitas::parallel;
using comm::Communicator;
using schedule::NetId;

namespace {

constexpr std::int64_t micro_batches = 4;  ///< of a step
constexpr std::int64_t tiles = 3;          ///< of a micro-batch
const std::vector<std::vector<std::int64_t>> layers_of_stages{{3, 2}, {2, 3, 1}};

std::vector<StageLayers> stages_of(NetId which) {
    const auto net =
        which == schedule::gan::generator ? test::tiny_generator() : test::tiny_discriminator();
    std::vector<StageLayers> stages;
    std::int64_t first = 0;
    for (const std::int64_t layers : layers_of_stages.at(static_cast<std::size_t>(which))) {
        stages.push_back(
            {StageId{static_cast<int>(stages.size())}, net::part_of(net, {first, layers})});
        first += layers;
    }
    return stages;
}

/// Who computes which micro-batches, and whom with.
struct Who {
    const comm::TensorCollectives* ranks = nullptr;
    [[nodiscard]] std::int64_t size() const { return ranks == nullptr ? 1 : ranks->size(); }
    [[nodiscard]] std::int64_t micro(LocalMicroBatch local) const {
        return index(local) * size() + (ranks == nullptr ? 0 : index(ranks->rank()));
    }
};

struct Options {
    net::Precision precision = net::Precision::fp32;
    std::string table = "1f1b";
    bool recompute = false;
    double ema = 0.9;
};

ModelOptions model_options(NetId which, const Options& options, const Who& who) {
    ModelOptions o;
    const bool is_generator = which == schedule::gan::generator;
    o.name = is_generator ? "generator" : "discriminator";
    o.updater.adam.learning_rate = 0.01;
    o.updater.ema = options.ema;
    o.updater.leaves = {micro_batches / who.size(), is_generator ? 1 : 2};
    o.updater.shard = ShardLevel::parameters;
    o.updater.data = who.ranks;
    o.precision = options.precision;
    return o;
}

class TinyRun : public Task {
public:
    TinyRun(const Options& options, const Who& who)
        : who_(who),
          type_(nn::compute_type(options.precision)),
          generator(stages_of(schedule::gan::generator),
                    model_options(schedule::gan::generator, options, who)),
          discriminator(stages_of(schedule::gan::discriminator),
                        model_options(schedule::gan::discriminator, options, who)),
          table_(table_of(options, who)),
          executor(
              {generator.parts(), discriminator.parts()}, *this,
              {.graph = schedule::gan::graph(),
               .boundaries = {std::vector<net::ImageShape>(3), std::vector<net::ImageShape>(4)}}) {}

    void step() {
        executor.run(table_.coordinates[0]);
        ++step_;
    }
    [[nodiscard]] ModelState& net(NetId which) {
        return which == schedule::gan::generator ? generator : discriminator;
    }
    [[nodiscard]] const schedule::Schedule& table() const { return table_; }

    at::Tensor input(schedule::PassId pass, LocalMicroBatch micro,
                     const at::Tensor& output) override {
        if (pass == fails_at) throw std::runtime_error("made to fail");
        if (pass == schedule::gan::generate) return drawn(micro, {tiles, 4, 1, 1});
        return output.defined() ? output.flip({3}) : drawn(micro, {tiles, 3, 8, 8}).tanh();
    }
    at::Tensor output_gradient(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                               const at::Tensor& gradient) override {
        return gradient.flip({3});
    }
    at::Tensor loss_gradient(schedule::PassId pass, LocalMicroBatch /*micro*/,
                             const at::Tensor& y) override {
        return (y.sigmoid() - (pass == schedule::gan::fake ? 0.0 : 0.9)) / 12;
    }
    void record_statistics(const schedule::Action& /*visit*/,
                           const std::vector<nn::Statistics>& /*statistics*/) override {}
    void reduce(NetId which) override { net(which).reduce(); }
    void update(NetId which) override { net(which).update(); }

private:
    static schedule::Schedule table_of(const Options& options, const Who& who) {
        const auto table = schedule::split_stages(
            schedule::make_schedule(options.table, {.graph = schedule::gan::graph(),
                                                    .micro_batches = micro_batches / who.size(),
                                                    .recompute = options.recompute}),
            {{2}, {3}});
        return who.ranks == nullptr ? table : schedule::with_gathers(table);
    }
    [[nodiscard]] at::Tensor drawn(LocalMicroBatch micro, at::IntArrayRef shape) const {
        const std::int64_t number = 100 * step_ + 7 * who_.micro(micro) + shape[1];
        return at::arange(c10::multiply_integers(shape), at::kFloat)
            .mul(0.37 + 0.01 * static_cast<double>(number))
            .sin()
            .view(shape)
            .contiguous(at::MemoryFormat::ChannelsLast)
            .to(type_);
    }

    Who who_;
    at::ScalarType type_;
    std::int64_t step_ = 0;

public:
    ModelState generator, discriminator;
    std::optional<schedule::PassId> fails_at;

private:
    schedule::Schedule table_;

public:
    Executor executor;
};

/// Whether all that is held here has the bits of the whole.
bool same(const ModelState& part, const ModelState& whole) {
    const auto all = whole.arrays();
    for (const auto& [name, array] : part.arrays()) {
        at::Tensor box = all.at(name).view;
        for (std::size_t d = 0; d < array.box.size(); ++d)
            box = box.narrow(static_cast<std::int64_t>(d), array.box[d].begin, array.box[d].count);
        if (!box.equal(array.view)) return false;
    }
    return true;
}

bool same(TinyRun& part, TinyRun& whole) {
    return same(part.generator, whole.generator) && same(part.discriminator, whole.discriminator);
}

/// What the plan says of a table: the most bytes of gathered weights.
std::int64_t planned_bytes(TinyRun& run, const Options& options) {
    auto costs = schedule::unit_costs(schedule::StageCounts{{2, 3}});
    const net::NumberBytes numbers{
        static_cast<std::int64_t>(c10::elementSize(nn::compute_type(options.precision))),
        static_cast<std::int64_t>(c10::elementSize(nn::master_type(options.precision)))};
    for (const NetId which : {schedule::gan::generator, schedule::gan::discriminator})
        for (const StageLayers& stage : run.net(which).local_stages()) {
            const net::ArenaLayout layout(net::parameters_of(stage.description));
            costs.of(which).at(static_cast<std::size_t>(stage.stage)).gathered_bytes =
                net::compute_room(stage.description, layout, {0, std::ssize(layout.slots())},
                                  numbers)
                    .size;
        }
    return schedule::memory_peak(run.table(), PipeCoordinate{0}, costs).gathered_bytes;
}

bool is_released(const ModelState& net) {
    for (const at::Tensor& view : net.stage_weights()->views())
        if (view.storage().nbytes() != 0) return false;
    return net.stage_weights()->bytes() == 0;
}

}  // namespace

TEST_CASE("the room of slots has a number's bytes for each element, padding included") {
    const auto net = test::tiny_generator();
    const net::ArenaLayout layout(net::parameters_of(net));
    const auto room = net::compute_room(net, layout, {0, 4}, {2, 4});
    // 4 x 6 x 16 elements, twice 6 with padding, 6 x 3 x 16 with padding.
    CHECK((room.bytes == std::vector<Range>{{0, 768}, {768, 256}, {1024, 256}, {1280, 640}}));
    CHECK(room.size == 1920);
    CHECK((net::compute_room(net, layout, {1, 2}, {2, 8}).bytes ==
           std::vector<Range>{{0, 512}, {512, 512}}));
    CHECK(net::compute_room(net, layout, {2, 0}, {2, 4}).size == 0);
}

TEST_CASE("steps with gathered weights have the bits of one rank that has them whole") {
    const auto world = Communicator::world();
    const comm::MpiCollectives data(world);
    for (const Options& options :
         {Options{},
          Options{.precision = net::Precision::fp64, .table = "zero-bubble", .recompute = true},
          Options{.precision = net::Precision::bf16, .table = "zero-bubble", .ema = 0}}) {
        TinyRun whole(options, {});
        TinyRun part(options, {&data});
        REQUIRE_ALL(world, same(part, whole));
        for (int step = 0; step < 3; ++step) {
            whole.step();
            part.step();
            REQUIRE_ALL(world, same(part, whole));
        }
        CHECK(part.executor.peak_gathered_bytes() == planned_bytes(part, options));
        CHECK(whole.executor.peak_gathered_bytes() == 0);
        std::int64_t kept = 0;
        for (const auto& [name, array] : part.discriminator.arrays())
            if (name.find("/parameters/") != std::string::npos && array.split_over_data)
                kept += array.view.numel();
        CHECK(world.sum(kept) == net::parameter_count(test::tiny_discriminator()));
        for (const NetId which : {schedule::gan::generator, schedule::gan::discriminator}) {
            CHECK(is_released(part.net(which)));
            CHECK(part.net(which).bytes() < whole.net(which).bytes());
            const at::Tensor x = at::ones({2, which == schedule::gan::generator ? 4 : 3, 8, 8},
                                          nn::master_type(options.precision));
            const auto low = x.to(nn::compute_type(options.precision));
            const auto drawn = part.net(which).drawing_stage(first_stage);
            const auto wanted = whole.net(which).drawing_stages();
            const auto layers = part.net(which).layers_of(first_stage);
            REQUIRE_ALL(world, drawn.evaluate(x).equal(wanted.at(first_stage).evaluate(x)));
            REQUIRE_ALL(world, layers.front()->evaluate(low).equal(
                                   whole.net(which).layers_of(first_stage).front()->evaluate(low)));
            CHECK(is_released(part.net(which)));
        }
    }
}

TEST_CASE("what is not gathered cannot be read, and what is wrong is told") {
    const auto world = Communicator::world();
    const comm::MpiCollectives data(world);
    TinyRun run({}, {&data});
    StageWeights& weights = *run.generator.parts().weights;
    const at::Tensor view = weights.views().front();
    const void* const identity = view.unsafeGetTensorImpl();
    CHECK_THROWS_WITH(view.sum(), Catch::Contains("while they are not gathered"));
    CHECK_THROWS_WITH(weights.wait(first_stage), Catch::Contains("gathered before it is used"));
    CHECK_THROWS_WITH(run.generator.weights(), Catch::Contains("whole on every rank"));
    weights.gather(first_stage);
    CHECK_THROWS_WITH(weights.gather(first_stage), Catch::Contains("gathered once"));
    CHECK_THROWS_WITH(view.sum(), Catch::Contains("while they are not gathered"));
    CHECK_THROWS_WITH(run.generator.update(), Catch::Contains("does not outlive"));
    weights.wait(first_stage);
    CHECK(std::abs(view.sum().item<double>()) > 0);
    CHECK(weights.views().front().unsafeGetTensorImpl() == identity);
    // Somebody looks at it while it is gathered.
    CHECK(run.generator.layers_of(first_stage).size() == 3);
    CHECK(weights.is_gathered(first_stage));
    weights.release(first_stage);
    CHECK_THROWS_WITH(view.sum(), Catch::Contains("while they are not gathered"));
}

TEST_CASE("a step that one rank fails in leaves nothing gathered, and can be made again") {
    const auto world = Communicator::world();
    comm::Revocation revocation(world);
    const comm::MpiCollectives data(world, &revocation);
    TinyRun whole({}, {});
    TinyRun part({}, {&data});
    for (const schedule::PassId pass : {schedule::gan::generate, schedule::gan::fake}) {
        if (index(world.rank()) == 1) {
            part.fails_at = pass;
            CHECK_THROWS_WITH(part.step(), "made to fail");
            revocation.revoke();
        } else {
            CHECK_THROWS_AS(part.step(), comm::Revoked);
        }
        CHECK(is_released(part.generator));
        CHECK(is_released(part.discriminator));
        data.drain();
        revocation.drain();
        part.fails_at.reset();
    }
    whole.step();
    part.step();
    REQUIRE_ALL(world, same(part, whole));
}

TEST_CASE("a weight that is not finite is known to all ranks, whoever keeps it") {
    const auto world = Communicator::world();
    const comm::MpiCollectives data(world);
    TinyRun run({}, {&data});
    CHECK_FALSE(run.discriminator.first_non_finite());
    for (const auto& [name, array] : run.discriminator.arrays())
        if (name == "/discriminator/parameters/conv1.weight") array.view.fill_(1e38).mul_(1e10);
    REQUIRE_ALL(world, run.discriminator.first_non_finite() == "conv1.weight");
}
