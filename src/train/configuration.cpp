#include "configuration.hpp"

#include "bounds.hpp"
#include "civitas/parallel/schedule.hpp"

#include <cmath>
#include <limits>

namespace civitas::train {
namespace {

constexpr std::int64_t default_steps = 1000;

void declare(cli::Options& options, Course& course) {
    options.section("Input and output")
        .add("tiles", course.tiles, "tile store to learn from")
        .add("run", course.run, "folder of the run: made, or resumed")
        .required("tiles")
        .required("run");
    options.section("Length")
        .add("steps", course.steps, "updates of both nets (0: 1000, or what --epochs says)")
        .add("epochs", course.epochs, "passes over the training tiles, instead of --steps")
        .add("max-minutes", course.max_minutes,
             "stop with a checkpoint after this time (0: never)");
}

void declare(cli::Options& options, Task& task) {
    options.section("Nets and batches (fixed for a run)");
    add_nets(options, task);
    options.add("sync-batch-norm", task.sync_batch_norm, "normalise over the data axis, too")
        .add("precision", task.precision, "fp32, bf16 or fp64")
        .add("seed", task.seed, "of order, noise and initial weights");
}

void declare(cli::Options& options, Recipe& recipe) {
    options.section("Learning")
        .add("loss", recipe.loss, "bce, lsgan or hinge")
        .add("generator-lr", recipe.generator_lr, "learning rate of G")
        .add("discriminator-lr", recipe.discriminator_lr, "learning rate of D")
        .add("beta1", recipe.beta1, "Adam: decay of the first moment")
        .add("beta2", recipe.beta2, "Adam: decay of the second moment")
        .add("instance-noise", recipe.instance_noise, "sigma of noise on all that D sees")
        .add("translate", recipe.translate, "shift all that D sees by up to this share of its side")
        .add("label-smoothing", recipe.label_smoothing, "target of real tiles")
        .add("ema", recipe.ema, "decay of the mean of G's weights (0: no mean)");
}

void declare(cli::Options& options, Layout& layout) {
    options
        .section(
            "Layout (of these only the tensor axis, devices and threads change bits of the result)")
        .add("mesh", layout.mesh, "ranks per axis: data=auto,pipe=2,tensor=1 (empty: all on data)");
    add_stages(options, layout);
    options.add("shard", layout.shard, "what is divided over the data axis: none")
        .add("offload", layout.offload, "where master weights live: none")
        .add("redraw", layout.redraw, "drop G's activations and draw its tiles again")
        .add("recompute", layout.recompute, "keep only the inputs of stages, run F again before B")
        .add("device", layout.device, "cpu or cuda")
        .add("stage-devices", layout.stage_devices,
             "of each pipe coordinate: cpu,cuda (empty: --device for all)")
        .add("threads", layout.threads, "per rank: a number, or auto")
        .add("reduction", layout.reduction, "tree (same bits on any layout) or fast");
}

void declare_keeping(cli::Options& options, Course& course) {
    options.section("Checkpoints and reports")
        .add("checkpoint-every", course.checkpoint_every, "steps (0: only at the end)")
        .add("checkpoint-mode", course.checkpoint_mode, "sync")
        .add("keep", course.keep, "checkpoints kept, the newest")
        .add("resume", course.resume, "auto, never or a checkpoint file")
        .add("allow-change", course.allow_change, "a fixed setting that may differ on resume")
        .add("sample-every", course.sample_every,
             "steps between sample sheets (0: only at the end)")
        .add("hang-seconds", course.hang_seconds, "watchdog (0: off)")
        .add("trace", course.trace, "file for a trace of the first 20 steps, for Perfetto")
        .add("overwrite", course.overwrite, "replace a trace that exists");
    for (const char* word : {"max-minutes", "resume", "allow-change", "trace", "overwrite"})
        options.once(word);
}

/// Options of the fixed command line whose work has not been done yet say so.
void refuse_unfinished(const Configuration& c) {
    const auto refuse = [](bool asked, const std::string& option, const std::string& instead) {
        if (asked)
            throw UsageError(text(option, " is not available in this version"), Hint{instead});
    };
    refuse(c.layout.shard != "none", "--shard " + c.layout.shard, "--shard none");
    refuse(c.layout.offload != "none", "--offload " + c.layout.offload, "--offload none");
    refuse(c.course.checkpoint_mode != "sync", "--checkpoint-mode " + c.course.checkpoint_mode,
           "--checkpoint-mode sync");
    refuse(c.course.hang_seconds != 0, "--hang-seconds", "leave it out");
}

void check(const Configuration& c) {
    check_values(c);
    if (c.layout.reduction != "tree" && c.layout.reduction != "fast")
        throw UsageError(text("unknown reduction '", c.layout.reduction, "'"),
                         Hint{"tree or fast"});
    check_layout(c.layout);
    if (c.course.steps != 0 && c.course.epochs != 0)
        throw UsageError("--steps and --epochs are both given", Hint{"give one of them"});
    (void)nn::parse_loss(c.recipe.loss);
    check_task(c.task);
    check_chunks(c.task, c.layout);
    refuse_unfinished(c);
}

}  // namespace

void add_nets(cli::Options& options, Task& task) {
    options.add("net", task.net, "dcgan-64, dcgan-256, dcgan-512 or dcgan-1024")
        .add("nz", task.nz, "length of the noise vector (0: the net's own)")
        .add("generator-widths", task.generator_widths, "channels after each layer of G")
        .add("discriminator-widths", task.discriminator_widths, "channels after each layer of D")
        .add("coding", task.coding, "colour (three channels) or grey (one)")
        .add("batch", task.batch, "tiles of a step")
        .add("micro-batch", task.micro_batch, "tiles that batch norm normalises over");
}

void add_stages(cli::Options& options, Layout& layout) {
    options
        .add("schedule", layout.schedule,
             "naive, gpipe, 1f1b, interleaved:v, zero-bubble, gan, or a file with a table")
        .add("stages", layout.stages, "blocks of G in each stage: 3,2,2,1 (empty: balanced)")
        .add("discriminator-stages", layout.discriminator_stages, "likewise of D")
        .add("placement", layout.placement,
             "stages of D on the coordinates: auto, same or reversed");
}

Precision parse_precision(const std::string& name) {
    if (name == "fp32") return Precision::fp32;
    if (name == "bf16") return Precision::bf16;
    if (name == "fp64") return Precision::fp64;
    throw UsageError(text("unknown precision '", name, "'"), Hint{"fp32, bf16 or fp64"});
}

at::ScalarType master_type(Precision precision) {
    return precision == Precision::fp64 ? at::kDouble : at::kFloat;
}

at::ScalarType compute_type(Precision precision) {
    return precision == Precision::bf16 ? at::kBFloat16 : master_type(precision);
}

nn::GanDescription Task::gan() const {
    return nn::dcgan(net, data::channels(data::parse_coding(coding)),
                     {.nz = nz,
                      .generator_widths = generator_widths,
                      .discriminator_widths = discriminator_widths});
}

Configuration parse_configuration(int argc, const char* const* argv, const cli::ReadFile& read) {
    Configuration c;
    cli::Options options("civitas train",
                         "Trains a GAN on a tile store. A run folder that already "
                         "holds checkpoints is resumed.");
    declare(options, c.course);
    declare(options, c.task);
    declare(options, c.recipe);
    declare(options, c.layout);
    declare_keeping(options, c.course);
    options.parse(argc, argv, read);
    c.layout.table = read_table(c.layout.schedule, read);
    check(c);
    c.resolved = options.resolved();
    c.file = options.file();
    return c;
}

std::optional<std::string> read_table(const std::string& schedule, const cli::ReadFile& read) {
    if (parallel::is_schedule_name(schedule)) return std::nullopt;
    return read(schedule);
}

void check_task(const Task& task) {
    (void)parse_precision(task.precision);
    check_sizes(task);
    const auto gan = task.gan();
    for (const auto* net : {&gan.generator, &gan.discriminator}) (void)nn::parameter_count(*net);
}

void check_layout(const Layout& layout) {
    if (layout.placement != "auto" && layout.placement != "same" && layout.placement != "reversed")
        throw UsageError(text("unknown placement '", layout.placement, "'"),
                         Hint{"auto, same or reversed"});
    if (!layout.table) return;
    const auto refuse = [&](bool given, const char* option) {
        if (given)
            throw UsageError(
                text("--", option, " is given, but the table ", layout.schedule, " says it itself"),
                Hint{text("leave out --", option, ", or name a schedule")});
    };
    refuse(layout.placement != "auto", "placement");
    refuse(layout.redraw, "redraw");
    refuse(layout.recompute, "recompute");
}

namespace {

/// Upwards, or downwards where that is no number any more.
std::int64_t next_multiple(std::int64_t batch, std::int64_t micro_batch) {
    const std::int64_t below = batch / micro_batch * micro_batch;
    const bool room = below <= std::numeric_limits<std::int64_t>::max() - micro_batch;
    return room ? below + micro_batch : below;
}

}  // namespace

void check_batch(const Task& task, comm::MeshShape mesh) {
    if (task.batch < 1 || task.micro_batch < 1)
        throw UsageError(text("--batch ", task.batch, " --micro-batch ", task.micro_batch,
                              ": both must be at least 1"));
    if (task.batch % task.micro_batch != 0)
        throw UsageError(text("a batch of ", task.batch,
                              " tiles cannot be cut into micro-batches of ", task.micro_batch),
                         Hint{text("--batch ", next_multiple(task.batch, task.micro_batch))});
    if (task.micro_batches() % mesh.data != 0)
        throw UsageError(
            text("a batch of ", task.batch, " tiles, ", task.micro_batches(), " micro-batches of ",
                 task.micro_batch, ", cannot be shared by ", mesh.data, " ranks of the data axis"),
            Hint{text("--batch ", task.micro_batch * mesh.data, ", or a smaller --micro-batch")});
}

std::int64_t total_steps(const Course& course, const Task& task, std::int64_t tiles) {
    if (course.epochs > 0)
        return static_cast<std::int64_t>(std::ceil(course.epochs * static_cast<double>(tiles) /
                                                   static_cast<double>(task.batch)));
    return course.steps > 0 ? course.steps : default_steps;
}

}  // namespace civitas::train
