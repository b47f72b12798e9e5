#include "civitas/planner/bounds.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/require_range.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace civitas::planner {
namespace {

void check_widths(const NetChoice& choice) {
    constexpr std::int64_t widest = 1'000'000;
    require_range("nz", choice.nz, 0, widest);
    require_range("classes", choice.classes, 0, widest);
    require_range("pixels", choice.pixels, 0, 65536);
    for (const auto width : choice.generator_widths)
        require_range("generator-widths", width, 1, widest);
    for (const auto width : choice.discriminator_widths)
        require_range("discriminator-widths", width, 1, widest);
}

/// Upwards, or downwards where that is no number any more.
std::int64_t next_multiple(std::int64_t batch, std::int64_t micro_batch) {
    const std::int64_t below = batch / micro_batch * micro_batch;
    const bool room = below <= std::numeric_limits<std::int64_t>::max() - micro_batch;
    return room ? below + micro_batch : below;
}

}  // namespace

Nets checked_nets(NetChoice choice) {
    check_widths(choice);
    Nets nets(std::move(choice));
    for (const auto& net : nets.all()) (void)net::parameter_count(net);
    return nets;
}

void check_sizes(const Problem& problem) {
    constexpr std::int64_t largest = 1'000'000'000, most_micro = 1'000'000;
    require_range("batch", problem.batch, 1, largest);
    require_range("micro-batch", problem.micro_batch, 1, largest);
    if (problem.micro_batches() > most_micro)
        throw UsageError(
            text("--batch ", problem.batch, " --micro-batch ", problem.micro_batch, " are ",
                 problem.micro_batches(), " micro-batches, more than ", most_micro),
            Hint{text("--micro-batch ", (problem.batch + most_micro - 1) / most_micro)});
}

void check_learning(const Hyperparameters& h) {
    require_range("generator-lr", h.generator_lr, 0, 1);
    require_range("discriminator-lr", h.discriminator_lr, 0, 1);
    require_range("classifier-lr", h.classifier_lr, 0, 10);
    require_range("beta1", h.beta1, 0, 0.999999);
    require_range("beta2", h.beta2, 0, 0.999999999);
    require_range("momentum", h.momentum, 0, 0.999999);
    require_range("weight-decay", h.weight_decay, 0, 1);
    constexpr std::int64_t most = 1'000'000'000'000'000;
    require_range("warmup-steps", h.rate.warmup_steps, 0, most);
    for (const std::int64_t step : h.rate.boundaries) require_range("lr-steps", step, 1, most);
    require_range("lr-gamma", h.rate.gamma, 0, 1);
    require_range("instance-noise", h.instance_noise, 0, 10);
    require_range("translate", h.translate, 0, 0.5);
    require_range("label-smoothing", h.label_smoothing, 0.5, 1);
    require_range("condition-weight", h.condition_weight, 0, 1e6);
    require_range("ema", h.ema, 0, 0.999999);
}

void check_condition(const Problem& problem, const Hyperparameters& h) {
    if (problem.condition() != ConditionKind::cover || h.condition_weight == 0 ||
        problem.coding() == Coding::colour)
        return;
    throw UsageError(text("--condition-weight ", h.condition_weight,
                          " is of the channels of "
                          "buildings and roads, --coding ",
                          to_string(problem.coding()), " has none of their own"),
                     Hint{"--coding colour, or --condition-weight 0"});
}

void check_step(const Problem& problem) {
    constexpr double most = 1e16;  // far beyond any machine
    double values = 0;             // of a tile
    for (const auto& net : problem.nets.all())
        for (const auto& shape : net::shapes_of(net))
            values += static_cast<double>(shape.elements());
    if (values * static_cast<double>(problem.batch) <= most) return;
    throw UsageError(text("--batch ", problem.batch, " of tiles that are ", values,
                          " values on their way through ", problem.nets.name(),
                          " is more than any machine can hold"),
                     Hint{"a smaller --batch, fewer channels"});
}

void check_batch(const Workload& workload, MeshShape mesh) {
    if (workload.batch < 1 || workload.micro_batch < 1)
        throw UsageError(text("--batch ", workload.batch, " --micro-batch ", workload.micro_batch,
                              ": both must be at least 1"));
    if (workload.batch % workload.micro_batch != 0)
        throw UsageError(
            text("a batch of ", workload.batch, " tiles cannot be cut into micro-batches of ",
                 workload.micro_batch),
            Hint{text("--batch ", next_multiple(workload.batch, workload.micro_batch),
                      ", or --micro-batch ", std::gcd(workload.batch, workload.micro_batch))});
    if (workload.micro_batches() % mesh[Axis::data] != 0)
        throw UsageError(
            text("a batch of ", workload.batch, " tiles, ",
                 counted(workload.micro_batches(), "micro-batch", "micro-batches"), " of ",
                 workload.micro_batch, ", cannot be shared by ", mesh[Axis::data],
                 " ranks of the data axis"),
            Hint{text("--batch ", workload.micro_batch * mesh[Axis::data],
                      ", a smaller --micro-batch, or another --mesh: civitas plan --ranks ",
                      mesh.size(), ", with the same nets and batch, compares them")});
}

void check_replicas(const Workload& workload, const LayoutOptions& options, MeshShape mesh) {
    const int replicas = options.replicas;
    if (replicas == 1) return;
    const auto refuse = [&](bool given, const std::string& why, const std::string& hint) {
        if (given) throw UsageError(text("--replicas ", replicas, ": ", why), Hint{hint});
    };
    refuse(mesh[Axis::pipe] > 1 || mesh[Axis::tensor] > 1,
           text("replicas hold whole nets, mesh ", to_string(mesh), " divides them among ranks"),
           "--mesh with a data axis alone, or --replicas 1");
    refuse(shards_gradients(options.shard),
           text("--shard ", to_string(options.shard),
                " sums every leaf over ranks in its turn, replicas have none in common"),
           "--shard optimizer, or --replicas 1");
    refuse(workload.sync_batch_norm,
           "--sync-batch-norm makes ranks wait for each other in every layer, threads of one rank "
           "cannot",
           "leave it out, or --replicas 1");
    refuse(!options.stage_devices.empty(), "--stage-devices are for stages on several ranks",
           "--device, or --replicas 1");
    const std::int64_t micro_batches = workload.micro_batches_of_rank(mesh);
    refuse(micro_batches % replicas != 0,
           text("a rank has ", counted(micro_batches, "micro-batch", "micro-batches"), " of ",
                workload.micro_batch, ", which cannot be shared out equally"),
           text("--batch ",
                next_multiple(workload.batch, workload.micro_batch * mesh[Axis::data] * replicas),
                ", or a smaller --micro-batch"));
}

void check_replica_threads(const LayoutOptions& options) {
    if (!options.threads || *options.threads % options.replicas == 0) return;
    const int more = (*options.threads / options.replicas + 1) * options.replicas;
    throw UsageError(text("--threads ", *options.threads, " of a rank cannot be shared by ",
                          options.replicas, " replicas"),
                     Hint{text("--threads ", more, ", or auto")});
}

void check_servers(const UpdateOptions& update) {
    if (update.servers < 0 || update.servers >= update.ranks)
        throw UsageError(
            text("--servers ", update.servers, " leaves no worker of ", update.ranks, " ranks"),
            Hint{"fewer servers, or 0: all ranks serve and work"});
    if (!update.max_staleness)
        throw UsageError(
            "--update server without a bound: servers keep the gradients of steps that are not "
            "complete",
            Hint{"--max-staleness with a number of steps"});
}

void check_chunks(const Problem& problem, const LayoutOptions& options) {
    const auto* const schedule = std::get_if<ScheduleName>(&options.schedule);
    if (schedule == nullptr) return;
    std::size_t layers = problem.nets.all().front().layers.size();
    for (const auto& net : problem.nets.all()) layers = std::min(layers, net.layers.size());
    if (static_cast<std::size_t>(schedule->chunks) > layers)
        throw UsageError(text("--schedule ", schedule->name, " needs ", schedule->chunks,
                              " stages a coordinate, the nets of ", problem.nets.name(), " have ",
                              layers, " layers"),
                         Hint{"--schedule interleaved:2"});
}

void check_sharing(const Problem& problem, const LayoutOptions& options) {
    if (problem.sync_batch_norm && shards_gradients(options.shard))
        throw UsageError(
            text("--sync-batch-norm does not go with --shard ", to_string(options.shard),
                 ": its ranks would take other micro-batches"),
            Hint{"--shard optimizer"});
    if (options.reduction == Reduction::fast && shards_gradients(options.shard))
        throw UsageError(text("--reduction fast does not go with --shard ",
                              to_string(options.shard), ", which sums every leaf in its place"),
                         Hint{"--reduction tree"});
}

}  // namespace civitas::planner
