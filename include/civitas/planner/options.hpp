#pragma once
/// What `civitas train` and `civitas plan` are told, as plain checked values: see configuration.hpp
/// for the words on a command line that they are read from.
#include "civitas/base/coding.hpp"
#include "civitas/base/condition_kind.hpp"
#include "civitas/base/device_kind.hpp"
#include "civitas/base/machine_share.hpp"
#include "civitas/base/mesh_shape.hpp"
#include "civitas/base/offload.hpp"
#include "civitas/base/optimizer_kind.hpp"
#include "civitas/base/rate_schedule.hpp"
#include "civitas/base/reduction_order.hpp"
#include "civitas/base/sampling.hpp"
#include "civitas/base/shard_level.hpp"
#include "civitas/base/task_kind.hpp"
#include "civitas/base/update_kind.hpp"
#include "civitas/base/weight_copies.hpp"
#include "civitas/net/description.hpp"
#include "civitas/net/kernel_choice.hpp"
#include "civitas/net/loss_kind.hpp"
#include "civitas/net/precision.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/schedule.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace civitas::planner {

/// How stages of nets but the first lie on the pipe: as the first's do, reversed, or as is better.
enum class StageOrder { automatic, same, reversed };
[[nodiscard]] StageOrder parse_stage_order(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(StageOrder order);

/// Threads of a rank; none for `auto`: as many as it has cores. Throws UsageError.
[[nodiscard]] std::optional<int> parse_threads(const std::string& words);

/// Seconds without movement that end a job, 0: never; none for `auto`, by plan. Throws UsageError.
[[nodiscard]] std::optional<double> parse_hang_seconds(const std::string& words);

/// A schedule of the program's own.
struct ScheduleName {
    std::string name = "1f1b";
    int chunks = 1;  ///< stages of each net on a pipe coordinate
    friend bool operator==(const ScheduleName&, const ScheduleName&) = default;
};
/// Reads the name of a schedule. Throws UsageError, naming the known ones.
[[nodiscard]] ScheduleName schedule_named(const std::string& name);
/// A schedule of the program's own, or the user's own table, which is called as its file is.
using ScheduleChoice = std::variant<ScheduleName, schedule::Schedule>;
[[nodiscard]] const std::string& name_of(const ScheduleChoice& schedule);

/// What a run begins with.
struct Resume {
    enum class From { newest, nothing, file };
    From from = From::newest;  ///< checkpoint of its folder, if there is any
    std::string file = {};
    friend bool operator==(const Resume&, const Resume&) = default;
};
[[nodiscard]] Resume parse_resume(const std::string& words);  ///< `auto`, `never` or a file
[[nodiscard]] std::string to_string(const Resume& resume);

/// Whether training waits while a checkpoint is written, or goes on beside it.
enum class CheckpointMode { sync, async };
[[nodiscard]] CheckpointMode parse_checkpoint_mode(std::string_view name);  ///< throws UsageError

/// Named nets, and what differs from them: nothing where a number is 0 or a list empty.
struct NetChoice {
    TaskKind task = TaskKind::gan;
    std::string net = "dcgan-64";
    std::int64_t nz = 0;
    std::vector<std::int64_t> generator_widths = {};
    std::vector<std::int64_t> discriminator_widths = {};
    Coding coding = Coding::colour;
    ConditionKind condition = ConditionKind::none;
    std::int64_t classes = 0;         ///< that a classifier tells apart, or sources of a condition
    std::int64_t pixels = 0;          ///< of the side of a classifier's images
    net::KernelOptions kernels = {};  ///< layers that one kernel computes are one: see net::fuse
};

/// The nets of a step, described once, by what chose them.
class Nets {
public:
    Nets() : Nets(NetChoice{}) {}
    /// Describes the nets of a choice; a classifier without classes and pixels as for ImageNet,
    /// 1000 of 224. Throws UsageError for an unknown name, and for widths that do not reach the
    /// size.
    explicit Nets(NetChoice choice);
    [[nodiscard]] const NetChoice& choice() const noexcept { return choice_; }
    [[nodiscard]] const std::string& name() const noexcept { return choice_.net; }
    /// Of the side of an image that the nets draw or see.
    [[nodiscard]] std::int64_t pixels() const noexcept { return pixels_; }
    /// Length of the noise vector of a GAN.
    [[nodiscard]] std::int64_t nz() const noexcept { return nz_; }
    /// Numbers that tell a GAN what is asked: behind the noise, and behind the output of D.
    [[nodiscard]] std::int64_t conditions() const noexcept { return conditions_; }
    /// In the order of the step graph.
    [[nodiscard]] const std::vector<net::NetDescription>& all() const noexcept { return nets_; }
    [[nodiscard]] const net::NetDescription& operator[](schedule::NetId net) const {
        return nets_.at(static_cast<std::size_t>(net));
    }

private:
    void describe_gan();
    void describe_classifier();

    NetChoice choice_;
    std::int64_t pixels_ = 0;
    std::int64_t nz_ = 0;
    std::int64_t conditions_ = 0;
    std::vector<net::NetDescription> nets_;
};

/// What decides the arithmetic of a run: kept in checkpoints, and may not change on resume.
struct Problem {
    Nets nets;
    net::Precision precision = net::Precision::fp32;
    std::int64_t batch = 8;
    std::int64_t micro_batch = 4;
    std::uint64_t seed = 1;
    bool sync_batch_norm = false;
    LabelSource labels = LabelSource::stored;  ///< of a classifier

    [[nodiscard]] std::int64_t micro_batches() const { return batch / micro_batch; }
    [[nodiscard]] TaskKind task() const { return nets.choice().task; }
    [[nodiscard]] Coding coding() const { return nets.choice().coding; }
    [[nodiscard]] ConditionKind condition() const { return nets.choice().condition; }
    [[nodiscard]] const net::KernelOptions& kernels() const { return nets.choice().kernels; }
};

/// How a run learns: may change on resume, with a warning.
struct Hyperparameters {
    net::LossKind loss = net::LossKind::bce;
    double generator_lr = 4e-4;
    double discriminator_lr = 1e-4;
    double classifier_lr = 0.01;
    OptimizerKind optimizer = OptimizerKind::adam;
    double beta1 = 0.5;     ///< of Adam
    double beta2 = 0.999;   ///< of Adam
    double momentum = 0.9;  ///< of SGD
    double weight_decay = 0;
    RateSchedule rate = {};  ///< of all nets; total_steps is known when the run begins
    double instance_noise = 0.2;
    double translate = 0.125;
    double label_smoothing = 0.9;
    double condition_weight = 1;  ///< of cover that is not as it was wished
    double ema = 0.999;           ///< limit of the decay of the mean of the weights; 0: no mean

    /// Of a net of a task.
    [[nodiscard]] double learning_rate(TaskKind task, schedule::NetId net) const {
        if (task == TaskKind::classify) return classifier_lr;
        return net == schedule::gan::generator ? generator_lr : discriminator_lr;
    }
    /// Arrays like the weights that the optimizer keeps.
    [[nodiscard]] int moments() const {
        return static_cast<int>(moments_of(optimizer, momentum).size());
    }
};

/// Who computes what, and where. Of these only the tensor axis changes bits of the result.
struct LayoutOptions {
    MeshRequest mesh;
    ScheduleChoice schedule;
    std::vector<std::vector<std::int64_t>> stages;  ///< by NetId: see stages_of()
    StageOrder placement = StageOrder::automatic;
    ShardLevel shard = ShardLevel::none;
    Offload offload = Offload::none;
    WeightCopies weight_copies = WeightCopies::node;
    std::string offload_folder = {};  ///< empty: that of the run
    bool redraw = false;
    bool recompute = false;
    DeviceKind device = DeviceKind::cpu;
    CudaGraphs cuda_graphs = CudaGraphs::automatic;
    std::vector<DeviceKind> stage_devices;  ///< of each pipe coordinate; none: all as `device`
    int node_size = 0;                      ///< ranks that count as a node; 0: who share memory
    int replicas = 1;                       ///< of the nets in a rank, which share its threads
    std::optional<int> threads;             ///< per rank; none: as many as it has cores
    Reduction reduction = Reduction::tree;
    MachineShare share = {};  ///< this rank's; nobody says it

    /// Blocks of layers in each stage of a net; none: as the planner finds best.
    [[nodiscard]] std::vector<std::int64_t> stages_of(schedule::NetId net) const {
        const auto number = static_cast<std::size_t>(index(net));
        return number < stages.size() ? stages[number] : std::vector<std::int64_t>();
    }
    /// The table of the user's own; null for a schedule of the program's.
    [[nodiscard]] const schedule::Schedule* table() const {
        return std::get_if<schedule::Schedule>(&schedule);
    }
    [[nodiscard]] std::string devices() const {
        return to_string(stage_devices.empty() ? std::vector{device} : stage_devices);
    }
};

/// How long a run goes on, and what it keeps on the way.
struct RunOptions {
    std::string tiles;
    std::string run;
    std::int64_t steps = 0;
    double epochs = 0;
    std::int64_t checkpoint_every = 500;
    double checkpoint_minutes = 0;  ///< between checkpoints, beside those by steps; 0: none
    CheckpointMode checkpoint_mode = CheckpointMode::sync;
    int keep = 3;
    std::int64_t keep_every = 0;  ///< steps, the first checkpoint after which stays; 0: none
    Resume resume;
    std::vector<std::string> allow_change;
    std::int64_t sample_every = 250;
    double max_minutes = 0;
    std::optional<double> hang_seconds;  ///< none: by the plan; 0: no watchdog
    std::string trace;
    bool overwrite = false;              ///< of a trace that exists
    std::int64_t population = 1;         ///< models that are trained side by side
    std::vector<std::string> vary = {};  ///< `NAME=V1,V2`: in which they differ
    std::string when_failed = "idle";    ///< what ranks of a member do that has failed
};

/// Steps of the whole run for so many training tiles.
[[nodiscard]] std::int64_t total_steps(const RunOptions& run_options, const Problem& problem,
                                       std::int64_t tiles);

struct Configuration {
    Problem problem;
    Hyperparameters hyperparameters;
    LayoutOptions layout_options;
    UpdateOptions update;
    RunOptions run_options;
    std::string resolved;  ///< INI text that --config reads back
    std::string file;      ///< that --config named; empty: none
};

/// How the learning rate goes in the run that is asked for, on so many training tiles.
[[nodiscard]] RateSchedule rate_schedule(const Configuration& configuration, std::int64_t tiles);

}  // namespace civitas::planner
