#pragma once
/// A small GAN, assembled and run as the program does it, laid out as a configuration says.
#include "civitas/comm/node_map.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/classifier_objective.hpp"
#include "civitas/tasks/gan_objective.hpp"
#include "civitas/tasks/offload.hpp"
#include "civitas/tasks/step_executor.hpp"
#include "support/tensor.hpp"
#include "train/agreement.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

namespace civitas::tasks::runs {

using schedule::PassId;

inline constexpr std::int64_t micro = 2;
inline constexpr std::int64_t micros = 4;
inline constexpr int steps = 3;

inline planner::Nets small_nets(std::vector<std::int64_t> generator = {8, 8, 4, 4},
                                std::vector<std::int64_t> discriminator = {4, 4, 8, 8},
                                ConditionKind condition = ConditionKind::none) {
    return planner::Nets({.net = "dcgan-64",
                          .nz = 7,
                          .generator_widths = std::move(generator),
                          .discriminator_widths = std::move(discriminator),
                          .condition = condition});
}

/// What samples are asked to be like: any numbers, by the sample's.
inline ConditionOfSample condition_of(const planner::Configuration& c) {
    if (c.problem.condition() == ConditionKind::none) return {};
    return [numbers = c.problem.nets.conditions()](Sample s) {
        const RandomStream stream(Seed{9}, Purpose::wish,
                                  {1, static_cast<std::uint64_t>(index(s))});
        std::vector<double> asked;
        for (std::int64_t k = 0; k < numbers; ++k)
            asked.push_back(stream.uniform(static_cast<std::uint64_t>(k)));
        return asked;
    };
}

/// Cover of plans that are far from it, so that every bit of its gradient counts.
inline Asked asked_of(const planner::Configuration& c) {
    if (c.problem.condition() != ConditionKind::cover) return {condition_of(c)};
    return {condition_of(c), {{0.2, 0.05}, {0.1, 0.03}}, c.hyperparameters.condition_weight};
}

inline planner::Configuration small_run() {
    planner::Configuration c;
    c.problem.nets = small_nets();
    c.problem.batch = micro * micros;
    c.problem.micro_batch = micro;
    c.problem.precision = net::Precision::fp64;
    c.layout_options.threads = 1;
    c.hyperparameters.generator_lr = 1e-3;
    c.hyperparameters.discriminator_lr = 5e-4;
    return c;
}

/// What the task of a configuration learns: a classifier classes that take turns.
inline std::shared_ptr<const Objective> objective_of(const planner::Configuration& c,
                                                     at::Device device) {
    if (c.problem.task() == TaskKind::gan)
        return std::make_shared<GanObjective>(c.problem, c.hyperparameters, device, asked_of(c));
    return std::make_shared<ClassifierObjective>(
        c.problem, c.hyperparameters,
        [classes = c.problem.nets.choice().classes](Sample s) { return index(s) % classes; },
        device);
}

/// Real tiles of a micro-batch, counted over the run: a tile depends on its sample number alone.
inline at::Tensor real_tiles(const planner::Configuration& c, std::int64_t number) {
    const std::int64_t size = c.problem.micro_batch, pixels = c.problem.nets.pixels();
    const at::Tensor x = at::empty({size, 3, pixels, pixels}, at::kDouble);
    for (std::int64_t i = 0; i < size; ++i)
        RandomStream(Seed{9}, Purpose::metric, {0, static_cast<std::uint64_t>(number * size + i)})
            .normals(0, {x[i].data_ptr<double>(), static_cast<std::size_t>(3 * pixels * pixels)});
    return x.tanh().to(nn::master_type(c.problem.precision));
}

inline planner::ExecutionLayout agreed(const comm::Communicator& ranks,
                                       const planner::Configuration& c) {
    return train::agree_on_layout(ranks, c, train::agree_on_model(ranks, c));
}
/// The value of this name among those of a step.
inline double value_of(const std::vector<StepValue>& values, const std::string& key) {
    for (const StepValue& value : values)
        if (value.key == key) return value.value;
    throw std::out_of_range(key);
}

inline environment::Process agreed_process(const comm::Communicator& ranks,
                                           const planner::Configuration& c, MeshShape mesh,
                                           const std::vector<at::Device>& devices = {}) {
    Log log(ranks.rank());
    environment::Process process = train::agree_on_process(ranks, c.layout_options, mesh, log);
    if (!devices.empty()) process.replica_devices = devices;
    return process;
}

struct Ours;
/// Puts other layers or another transport in place of a run's own, before it begins.
using Tamper = std::function<void(Ours&, ModelParts&)>;

/// How a step, counted from 0, is launched.
using LaunchOfStep = std::function<parallel::Launch(int)>;

/// What this rank holds of a run laid out as the configuration says.
struct Ours {
    /// `devices`: of the replicas; empty: all compute on one.
    Ours(const comm::Communicator& ranks, const planner::Configuration& c,
         std::unique_ptr<comm::Backend> backend = nullptr,
         const std::vector<at::Device>& devices = {})
        : layout(agreed(ranks, c)),
          process(agreed_process(ranks, c, layout.mesh, devices)),
          mesh(ranks, layout.mesh,
               backend ? std::move(backend)
                       : comm::choose_backend(ranks, at::kCPU,
                                              comm::node_map(ranks, c.layout_options.node_size))),
          own(own_micro_batches(c.problem.micro_batches(), mesh.shape(), mesh.coordinate(),
                                sharing_of(layout.shard))),
          offload_to(offload_memory(ranks, c)),
          models(c, layout, process, mesh, {.offload_to = offload_to.get()}) {}

    /// Steps over the models, which get their real tiles from `next_real`.
    StepExecutor& make_steps(const planner::Configuration& c, std::function<at::Tensor()> next_real,
                             const Tamper& tamper = {}) {
        ModelParts parts = parts_of(models, mesh);
        if (tamper) tamper(*this, parts);
        return steps.emplace(
            mesh, layout,
            StepShare{.workload = planner::workload_of(c.problem, c.hyperparameters),
                      .objective = objective_of(c, process.device),
                      .seed = Seed{c.problem.seed},
                      .micro_batches = own,
                      .device = process.device,
                      .replica_devices = process.replica_devices,
                      .inputs_stay = process.replica_devices.back() != process.device,
                      .steps_follow = parts.graphs != nullptr},
            models, std::move(parts), std::move(next_real));
    }
    [[nodiscard]] const std::vector<schedule::Action>& table() const {
        return layout.schedule[mesh.coordinate().pipe()];
    }

    /// With `host` ranks on CPUs offload, too, as those on GPUs do, in small windows.
    [[nodiscard]] std::unique_ptr<memory::OffloadMemory> offload_memory(
        const comm::Communicator& ranks, const planner::Configuration& c) const {
        if (c.layout_options.offload == Offload::host)
            return std::make_unique<memory::HostMemory>(false, 1 << 14);
        Log log(ranks.rank());
        return tasks::agree_on_offload(
            mesh, c, planner::plan_of(train::agree_on_model(ranks, c), layout), log);
    }

    planner::ExecutionLayout layout;
    environment::Process process;
    comm::Mesh mesh;
    MicroBatchShare own;
    std::unique_ptr<memory::OffloadMemory> offload_to;
    Models models;
    std::optional<StepExecutor> steps;
    std::vector<std::vector<StepValue>> values;  ///< by step
};

inline std::unique_ptr<Ours> run_ours(const comm::Communicator& ranks,
                                      const planner::Configuration& c, int count = steps,
                                      const Tamper& tamper = {},
                                      std::unique_ptr<comm::Backend> backend = nullptr,
                                      const LaunchOfStep& launch_of = {}) {
    auto ours = std::make_unique<Ours>(ranks, c, std::move(backend));
    const MicroBatchShare own = ours->own;
    const auto next_real = [c, own, delivered = std::int64_t{0}]() mutable {
        const std::int64_t i = delivered++;
        const MicroBatch next = own.global(LocalMicroBatch{i % own.count()});
        return real_tiles(c, i / own.count() * c.problem.micro_batches() + index(next));
    };
    StepExecutor& run = ours->make_steps(c, next_real, tamper);
    for (int s = 0; s < count; ++s) {
        run.run(StepIndex{s}, nullptr, launch_of ? launch_of(s) : parallel::Launch::each);
        ours->values.push_back(run.task().finish().values);
    }
    return ours;
}

/// Most bytes of weights that a coordinate has gathered at once.
inline std::int64_t gathered_in(const planner::StepPlan& plan, PipeCoordinate at) {
    return schedule::memory_peak(plan.layout.schedule, at, plan.costs).gathered_bytes;
}

}  // namespace civitas::tasks::runs
