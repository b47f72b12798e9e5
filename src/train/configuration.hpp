#pragma once
/// What `civitas train` is told, checked once at the border.
#include "civitas/cli/options.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/nn/description.hpp"
#include "civitas/nn/loss.hpp"
#include "civitas/parallel/optimizer.hpp"
#include "civitas/parallel/reduction.hpp"
#include "civitas/parallel/schedule.hpp"

#include <c10/core/ScalarType.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace civitas::train {

/// The numbers a net computes with: masters and sums in `master`, convolutions in `compute`.
enum class Precision { fp32, bf16, fp64 };
[[nodiscard]] Precision parse_precision(const std::string& name);  ///< throws UsageError
[[nodiscard]] at::ScalarType master_type(Precision precision);
[[nodiscard]] at::ScalarType compute_type(Precision precision);

/// What decides the arithmetic of a run: kept in checkpoints, and may not change on resume.
struct Task {
    std::string net = "dcgan-256";
    std::int64_t nz = 0;
    std::vector<std::int64_t> generator_widths;
    std::vector<std::int64_t> discriminator_widths;
    std::string coding = "colour";
    std::string precision = "fp32";
    std::int64_t batch = 32;
    std::int64_t micro_batch = 16;
    std::uint64_t seed = 1;
    bool sync_batch_norm = false;

    [[nodiscard]] std::int64_t micro_batches() const { return batch / micro_batch; }
    [[nodiscard]] nn::GanDescription gan() const;
};

/// How it learns: may change on resume, with a warning.
struct Recipe {
    std::string loss = "bce";
    double generator_lr = 2e-4;
    double discriminator_lr = 1e-4;
    double beta1 = 0.5;
    double beta2 = 0.999;
    double instance_noise = 0.2;
    double translate = 0.125;
    double label_smoothing = 0.9;
    double ema = 0.99;
};

/// Who computes what, and where. Of these only the tensor axis changes bits of the result.
struct Layout {
    std::string mesh;
    std::string schedule = "1f1b";
    std::optional<std::string> table;  ///< the text of the file that `schedule` names, if it does
    std::vector<std::int64_t> stages;
    std::vector<std::int64_t> discriminator_stages;
    std::string placement = "auto";
    std::string shard = "none";
    std::string offload = "none";
    bool redraw = false;
    bool recompute = false;
    std::string device = "cpu";
    std::string stage_devices;  ///< of each pipe coordinate, in place of `device`
    std::string threads = "auto";
    std::string reduction = "tree";
};

/// How long, and what is kept on the way.
struct Course {
    std::string tiles;
    std::string run;
    std::int64_t steps = 0;
    double epochs = 0;
    std::int64_t checkpoint_every = 500;
    std::string checkpoint_mode = "sync";
    int keep = 3;
    std::string resume = "auto";
    std::vector<std::string> allow_change;
    std::int64_t sample_every = 250;
    double max_minutes = 0;
    double hang_seconds = 0;
    std::string trace;
    bool overwrite = false;  ///< of a trace that exists
};

struct Configuration {
    Task task;
    Recipe recipe;
    Layout layout;
    Course course;
    std::string resolved;  ///< INI text that --config reads back
    std::string file;      ///< that --config named; empty: none
};

/// Throws UsageError or cli::HelpRequested.
[[nodiscard]] Configuration parse_configuration(int argc, const char* const* argv,
                                                const cli::ReadFile& read = cli::read_file);

/// The options that `train` and `plan` share: what the nets and batches are, how stages are run.
void add_nets(cli::Options& options, Task& task);
void add_stages(cli::Options& options, Layout& layout);

/// The text of the table that a schedule's name stands for; nothing for one of ours.
[[nodiscard]] std::optional<std::string> read_table(const std::string& schedule,
                                                    const cli::ReadFile& read);

/// Throw UsageError for names that are not known, nets that cannot be, and options beside a user's
/// own table that the table decides.
void check_task(const Task& task);
void check_layout(const Layout& layout);

/// Throws UsageError when the batch cannot be shared out: `data` ranks, whole micro-batches each.
void check_batch(const Task& task, comm::MeshShape mesh);

/// Steps of the whole run for N training tiles.
[[nodiscard]] std::int64_t total_steps(const Course& course, const Task& task, std::int64_t tiles);

}  // namespace civitas::train
