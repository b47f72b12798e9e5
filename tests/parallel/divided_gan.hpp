#pragma once
/// Small GANs whose weights ranks keep in parts, and what a plan says of them.
#include "support/tensor.hpp"

#include "civitas/comm/node_collectives.hpp"
#include "civitas/comm/revocation.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/parallel/executor.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/sharded_weights.hpp"
#include "civitas/schedule/simulator.hpp"
#include "civitas/schedule/traffic.hpp"
#include "support/agree.hpp"
#include "tiny_nets.hpp"

namespace civitas::test {

using comm::Communicator;
using schedule::NetId;

inline constexpr std::int64_t micro_batches_of_step = 4;  ///< of a step
inline constexpr std::int64_t tiles_of_micro_batch = 3;   ///< of a micro-batch
inline const std::vector<std::vector<std::int64_t>> layers_of_stages{{3, 2}, {2, 3, 1}};

inline std::vector<optim::StageLayers> stages_of(NetId which) {
    const auto net = which == schedule::gan::generator ? tiny_generator() : tiny_discriminator();
    std::vector<optim::StageLayers> stages;
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
    optim::GatherRoom* room = nullptr;
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

inline optim::ModelOptions model_options(NetId which, const Options& options, const Who& who) {
    optim::ModelOptions o;
    const bool is_generator = which == schedule::gan::generator;
    o.name = is_generator ? "generator" : "discriminator";
    o.updater.optimizer.learning_rate = 0.01;
    o.updater.ema = options.ema;
    o.updater.leaves = {micro_batches_of_step / who.size(), is_generator ? 1 : 2};
    o.updater.shard = ShardLevel::parameters;
    o.updater.data = who.ranks;
    o.updater.node_memory = who.room != nullptr;
    o.room = who.room;
    o.precision = options.precision;
    return o;
}

class TinyRun : public parallel::Task {
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
    [[nodiscard]] optim::ModelState& net(NetId which) {
        return which == schedule::gan::generator ? generator : discriminator;
    }
    [[nodiscard]] const schedule::Schedule& table() const { return table_; }

    at::Tensor input(schedule::PassId pass, LocalMicroBatch micro,
                     const at::Tensor& output) override {
        if (pass == fails_at) throw std::runtime_error("made to fail");
        if (pass == schedule::gan::generate) return drawn(micro, {tiles_of_micro_batch, 4, 1, 1});
        return output.defined() ? output.flip({3})
                                : drawn(micro, {tiles_of_micro_batch, 3, 8, 8}).tanh();
    }
    at::Tensor output_gradient(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                               const at::Tensor& gradient) override {
        return gradient.flip({3});
    }
    parallel::PassLoss loss(schedule::PassId pass, LocalMicroBatch /*micro*/,
                            const at::Tensor& y) override {
        return {{}, (y.sigmoid() - (pass == schedule::gan::fake ? 0.0 : 0.9)) / 12};
    }
    void record_statistics(const schedule::Action& /*visit*/,
                           const std::vector<nn::Statistics>& /*statistics*/) override {}
    void reduce(NetId which) override { net(which).reduce(); }
    void update(NetId which) override { net(which).update(); }

    static schedule::Schedule table_of(const Options& options, const Who& who) {
        const auto table = schedule::split_stages(
            schedule::make_schedule(options.table,
                                    {.graph = schedule::gan::graph(),
                                     .micro_batches = micro_batches_of_step / who.size(),
                                     .recompute = options.recompute}),
            {{2}, {3}});
        return who.ranks == nullptr ? table : schedule::with_gathers(table);
    }

private:
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
    optim::ModelState generator, discriminator;
    std::optional<schedule::PassId> fails_at;

private:
    schedule::Schedule table_;

public:
    parallel::Executor executor;
};

/// Whether all that is held here has the bits of the whole.
inline bool same(const optim::ModelState& part, const optim::ModelState& whole) {
    const auto all = whole.arrays();
    for (const auto& [name, array] : part.arrays()) {
        at::Tensor box = all.at(name).view;
        for (std::size_t d = 0; d < array.box.size(); ++d)
            box = box.narrow(static_cast<std::int64_t>(d), array.box[d].begin, array.box[d].count);
        if (!box.equal(array.view)) return false;
    }
    return true;
}

inline bool same(TinyRun& part, TinyRun& whole) {
    return same(part.generator, whole.generator) && same(part.discriminator, whole.discriminator);
}

/// Costs with the bytes of gathered weights.
inline schedule::Costs costs_of(const Options& options) {
    auto costs = schedule::unit_costs(schedule::StageCounts{{2, 3}});
    const net::NumberBytes numbers{
        static_cast<std::int64_t>(c10::elementSize(nn::compute_type(options.precision))),
        static_cast<std::int64_t>(c10::elementSize(nn::master_type(options.precision)))};
    for (const NetId which : {schedule::gan::generator, schedule::gan::discriminator})
        for (const optim::StageLayers& stage : stages_of(which)) {
            const net::ArenaLayout layout(net::parameters_of(stage.description));
            costs.of(which).at(static_cast<std::size_t>(stage.stage)).gathered_bytes =
                net::compute_room(layout, {0, std::ssize(layout.slots())}, numbers).size;
        }
    return costs;
}

/// What the plan says of a table: the most bytes of gathered weights.
inline std::int64_t planned_bytes(const TinyRun& run, const Options& options) {
    return schedule::memory_peak(run.table(), PipeCoordinate{0}, costs_of(options)).gathered_bytes;
}

/// The room that a plan gives to a table.
inline optim::GatherRoom gather_room_of(const comm::TensorCollectives& ranks,
                                        const Options& options) {
    return {ranks, schedule::gather_room(TinyRun::table_of(options, {&ranks}), PipeCoordinate{0},
                                         costs_of(options))};
}

inline bool is_released(const optim::ModelState& net) {
    for (const at::Tensor& view : net.stage_weights()->views())
        if (view.storage().nbytes() != 0) return false;
    return net.stage_weights()->bytes() == 0;
}

/// Lets rank 1 fail in a pass of its next step, which ends for all.
inline void fail_in(TinyRun& run, schedule::PassId pass, comm::Revocation& revocation,
                    const comm::TensorCollectives& data) {
    if (index(data.rank()) == 1) {
        run.fails_at = pass;
        CHECK_THROWS_WITH(run.step(), "made to fail");
        revocation.revoke();
    } else {
        CHECK_THROWS_AS(run.step(), comm::Revoked);
    }
    CHECK(is_released(run.generator));
    CHECK(is_released(run.discriminator));
    data.drain();
    revocation.drain();
    run.fails_at.reset();
}

}  // namespace civitas::test
