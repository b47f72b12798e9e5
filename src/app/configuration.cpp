#include "configuration.hpp"

#include "bounds.hpp"

#include "civitas/net/own_kernel.hpp"
#include "civitas/nn/instructions.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/recipe.hpp"
#include "civitas/runs/run_folder.hpp"
#include "civitas/schedule/gan.hpp"

#include <algorithm>
#include <utility>

namespace civitas::app {
namespace {

void declare(cli::Options& options, planner::RunOptions& run_options) {
    options.section("Input and output")
        .add("tiles", run_options.tiles, "tile store to learn from")
        .add("run", run_options.run, "folder of the run: made, or resumed");
    options.section("Length")
        .add("steps", run_options.steps, "updates of all nets (0: 1000, or what --epochs says)")
        .add("epochs", run_options.epochs, "passes over the training tiles, instead of --steps")
        .add("max-minutes", run_options.max_minutes,
             "stop with a checkpoint after this time (0: never)")
        .alternatives("steps", "epochs");
}

void declare(cli::Options& options, planner::Problem& problem, OptionWords& words) {
    options.section("Nets and batches (fixed for a run)");
    add_nets(options, problem, words);
    options
        .add("labels", words.labels,
             "classes for --task classify: stored (the store's own), source (the map of a tile)")
        .add("sync-batch-norm", problem.sync_batch_norm, "normalise over the data axis, too")
        .add("seed", problem.seed, "of order, noise and initial weights");
}

void declare(cli::Options& options, planner::Hyperparameters& hyperparameters, OptionWords& words) {
    options.section("Learning")
        .add("loss", words.loss, "bce, lsgan or hinge")
        .add("generator-lr", hyperparameters.generator_lr, "learning rate of G")
        .add("discriminator-lr", hyperparameters.discriminator_lr, "learning rate of D")
        .add("classifier-lr", hyperparameters.classifier_lr, "learning rate of a classifier")
        .add("beta1", hyperparameters.beta1, "Adam: decay of the first moment")
        .add("beta2", hyperparameters.beta2, "Adam: decay of the second moment")
        .add("weight-decay", hyperparameters.weight_decay,
             "share of the weights that is added to gradients")
        .add("lr-schedule", words.lr_schedule,
             text("of the rates after the warm-up: constant, cosine (to 0 at the end), step, or "
                  "auto: cosine in runs of ",
                  long_run_steps, " steps or more, but for plans of 256 pixels and more constant"))
        .add("warmup-steps", hyperparameters.rate.warmup_steps,
             "steps in which the rates rise to what they are (0: none)")
        .add("lr-steps", hyperparameters.rate.boundaries,
             "step: after which steps the rates are multiplied by --lr-gamma: 3000,6000")
        .add("lr-gamma", hyperparameters.rate.gamma, "step: by what")
        .add("instance-noise", hyperparameters.instance_noise, "sigma of noise on all that D sees")
        .add("translate", hyperparameters.translate,
             "shift all that D, or a classifier, sees by up to this share of its side")
        .add("label-smoothing", hyperparameters.label_smoothing,
             "target of real tiles, or share of its class in what a sample is asked for")
        .add("condition-weight", hyperparameters.condition_weight,
             "of the squared error of cover beside G's loss, for --condition cover (0: D's word "
             "alone)")
        .add("ema", hyperparameters.ema,
             "decay of the mean of G's weights, quicker at first (0: no mean)");
    add_optimizer(options, hyperparameters, words);
}

void declare(cli::Options& options, planner::LayoutOptions& layout_options, OptionWords& words) {
    options.section("Layout (bits of the result: see --mesh, --device, --threads and --reduction)")
        .add("mesh", words.mesh,
             "ranks per axis: data=auto,pipe=2,tensor=1 (empty: all on data); tensor changes bits, "
             "and data where shares of micro-batches are no power of two");
    add_stages(options, words);
    options
        .add("offload-folder", layout_options.offload_folder,
             "folder for --offload disk, best on a local disk (empty: that of the run)")
        .add("redraw", layout_options.redraw, "drop G's activations and draw its tiles again")
        .add("recompute", layout_options.recompute,
             "keep only the inputs of stages, run F again before B")
        .add("device", words.device, "cpu or cuda, which has other bits")
        .add("cuda-graphs", words.cuda_graphs,
             "of GPUs: auto (wherever they can be recorded) or off")
        .add("stage-devices", words.stage_devices,
             "of each pipe coordinate: cpu,cuda (empty: --device for all)")
        .add("node-size", words.node_size,
             "ranks that count as a node, to try what goes between nodes on one (0: as they are)")
        .add("threads", words.threads, "per rank: a number, or auto; changes bits")
        .add("reduction", words.reduction, "tree (same bits on any layout) or fast (other bits)");
}

void declare_updates(cli::Options& options, OptionWords& words) {
    options.section("Updates")
        .add("update", words.update,
             "sync: ranks add up their gradients; async: each updates shared weights by its own; "
             "server: weights lie on servers")
        .add("async-moments", words.async_moments, "of the optimizer: shared, or a rank's own")
        .add("max-staleness", words.max_staleness,
             "async, server: most steps that others end while a rank makes one, or any (auto: any; "
             "with servers 0)")
        .add("servers", words.servers,
             "ranks, the first ones, that keep weights and do not work (0: all do both)")
        .add("delay", words.delay,
             "seconds that ranks wait in each step, for experiments: 1=0.2,3=1.5");
}

void declare_population(cli::Options& options, planner::RunOptions& run_options) {
    options.section("Several models side by side, each by an equal part of the ranks")
        .add("population", run_options.population, "models, in RUN/1, RUN/2, ...; 1: one, in RUN")
        .add("vary", run_options.vary,
             "an option of learning, or seed, with a value for each: NAME=V1,V2 (none: the seeds "
             "differ)")
        .add("when-failed", run_options.when_failed,
             "ranks of a member that has failed: idle, or join the others at the end of an epoch");
}

void declare_keeping(cli::Options& options, planner::RunOptions& run_options, OptionWords& words) {
    options.section("Checkpoints and reports")
        .add("checkpoint-every", run_options.checkpoint_every, "steps (0: only at the end)")
        .add("checkpoint-minutes", run_options.checkpoint_minutes,
             "minutes between checkpoints, too (0: by steps alone)");
    add_checkpoint_mode(options, words);
    options.add("keep", run_options.keep, "checkpoints kept, the newest")
        .add("keep-every", run_options.keep_every,
             "the first checkpoint in every so many steps stays for ever (0: none)")
        .add("resume", words.resume, "auto, never or a checkpoint file")
        .add("allow-change", run_options.allow_change,
             "name of a fixed setting that may differ on resume, as batch; once for each")
        .add("sample-every", run_options.sample_every,
             "steps between sample sheets (0: only at the end); a classifier is tested after every "
             "epoch, with 0 only at the end")
        .add("hang-seconds", words.hang_seconds,
             "end a job that does not move for so long (0: never), or auto")
        .add("trace", run_options.trace, "file for a trace of the first 20 steps, for Perfetto")
        .add("overwrite", run_options.overwrite,
             "replace a trace, or files of compare, that exist");
}

void refuse_beside_table(const planner::LayoutOptions& layout_options, const std::string& file) {
    const auto refuse = [&](bool given, const char* option) {
        if (given)
            throw UsageError(
                text("--", option, " is given, but the table ", file, " says it itself"),
                Hint{text("leave out --", option, ", or name a schedule")});
    };
    refuse(layout_options.placement != planner::StageOrder::automatic, "placement");
    refuse(layout_options.redraw, "redraw");
    refuse(layout_options.recompute, "recompute");
}

/// A name of ours is never a file's; what is neither a name nor a file is an unknown name.
planner::ScheduleChoice read_schedule(const planner::LayoutOptions& layout_options,
                                      const OptionWords& option_words, const cli::ReadFile& read) {
    const std::string& words = option_words.schedule;
    if (schedule::is_schedule_name(words)) return planner::schedule_named(words);
    const auto table = read(words);
    if (!table) return planner::schedule_named(words);
    refuse_beside_table(layout_options, words);
    schedule::Schedule schedule =
        schedule::parse_schedule(planner::graph_of(parse_task(option_words.task)), *table, words);
    schedule.name = words;
    return schedule;
}

UpdateOptions read_updates(const OptionWords& words) {
    const UpdateKind kind = parse_update_kind(words.update);
    return {.kind = kind,
            .moments = parse_async_moments(words.async_moments),
            .max_staleness = parse_staleness(words.max_staleness, kind),
            .servers = checked("servers", words.servers, 0, 1'000'000),
            .delays = parse_delays(words.delay)};
}

void read_words(planner::Configuration& c, OptionWords& words, const cli::ReadFile& read) {
    check_values(c);
    c.layout_options.threads = planner::parse_threads(words.threads);
    c.layout_options.node_size = checked("node-size", words.node_size, 0, 1'000'000);
    c.layout_options.reduction = parse_reduction(words.reduction);
    c.layout_options.device = parse_device(words.device);
    c.layout_options.cuda_graphs = parse_cuda_graphs(words.cuda_graphs);
    c.layout_options.stage_devices = parse_devices(words.stage_devices);
    read_stages(c.layout_options, words, read);
    c.hyperparameters.loss = net::parse_loss(words.loss);
    c.hyperparameters.optimizer = optimizer_of(words);
    c.hyperparameters.rate.shape = parse_rate_shape(words.lr_schedule);
    check_schedule(c.hyperparameters.rate);
    read_problem(c.problem, words);
    if (c.hyperparameters.rate.shape == RateShape::automatic)
        c.hyperparameters.rate.shape = planner::recipe_of(c.problem.nets).rate;
    words.lr_schedule = to_string(c.hyperparameters.rate.shape);
    planner::check_condition(c.problem, c.hyperparameters);
    planner::check_chunks(c.problem, c.layout_options);
    planner::check_sharing(c.problem, c.layout_options);
    planner::check_replica_threads(c.layout_options);
    check_kernels(c);
    c.run_options.resume = planner::parse_resume(words.resume);
    c.run_options.checkpoint_mode = planner::parse_checkpoint_mode(words.checkpoint_mode);
    c.run_options.hang_seconds = planner::parse_hang_seconds(words.hang_seconds);
    c.update = read_updates(words);
}

}  // namespace

void read_problem(planner::Problem& problem, const OptionWords& words) {
    problem.precision = net::parse_precision(words.precision);
    planner::NetChoice choice = words.nets;
    choice.task = parse_task(words.task);
    choice.coding = parse_coding(words.coding);
    choice.condition = parse_condition(words.condition);
    if (choice.classes > 0 && choice.task == TaskKind::gan &&
        choice.condition != ConditionKind::source)
        throw UsageError(
            text("--classes: a GAN with --condition ", words.condition, " tells none apart"),
            Hint{"leave it out, or --condition source"});
    problem.labels = parse_label_source(words.labels);
    choice.kernels = net::parse_kernels(words.kernels);
    choice.kernels.host = {
        problem.precision, nn::instructions_here(), problem.sync_batch_norm,
        has_kind(words.stage_devices.empty() ? words.device : words.stage_devices,
                 DeviceKind::cuda)};
    problem.nets = planner::checked_nets(std::move(choice));
    net::check_layers(problem.kernels().choice, problem.nets.name(), problem.nets.all());
    if (problem.micro_batch == planner::micro_batch_unsaid)
        problem.micro_batch = planner::usual_micro_batch(problem);
    planner::check_sizes(problem);
    planner::check_step(problem);
}

void read_stages(planner::LayoutOptions& layout_options, const OptionWords& words,
                 const cli::ReadFile& read) {
    layout_options.mesh = MeshRequest(words.mesh);
    layout_options.replicas = checked("replicas", words.replicas, 1, 1024);
    layout_options.stages = {words.stages, words.discriminator_stages};
    layout_options.placement = planner::parse_stage_order(words.placement);
    layout_options.shard = parse_shard_level(words.shard);
    layout_options.offload = parse_offload(words.offload);
    layout_options.weight_copies = parse_weight_copies(words.weight_copies);
    layout_options.schedule = read_schedule(layout_options, words, read);
}

planner::Configuration parse_configuration(int argc, const char* const* argv,
                                           const cli::ReadFile& read,
                                           const std::vector<population::Setting>& settings,
                                           const OwnOptions& own) {
    planner::Configuration c;
    c.problem.micro_batch = planner::micro_batch_unsaid;
    OptionWords words;
    cli::Options options(own.program, own.usage);
    if (own.declare) own.declare(options);
    declare(options, c.run_options);
    declare(options, c.problem, words);
    declare(options, c.hyperparameters, words);
    declare(options, c.layout_options, words);
    declare_updates(options, words);
    declare_keeping(options, c.run_options, words);
    declare_population(options, c.run_options);
    for (const char* word : {"delay", "max-minutes", "resume", "allow-change", "trace", "overwrite",
                             "population", "vary", "when-failed"})
        options.once(word);
    for (const std::string& name : own.required) options.required(name);
    for (const auto& [option, value] : settings) options.preset(option, value);
    options.parse(argc, argv, read);
    const auto& required = own.required;
    const bool of_run = std::find(required.begin(), required.end(), "run") != required.end();
    if (of_run && options.given_by_file("run"))
        runs::require_own_folder(options.file(), c.run_options.run);
    read_words(c, words, read);
    c.resolved = options.resolved();
    c.file = options.file();
    return c;
}

}  // namespace civitas::app
