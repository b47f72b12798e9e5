#include "civitas/planner/bounds.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace civitas::planner {
namespace {

void require_range(const char* option, double value, double least, double most) {
    if (!(value >= least && value <= most))
        throw UsageError(text("--", option, ' ', value, " is out of range"),
                         Hint{text("a number from ", least, " to ", most)});
}

/// In whole numbers, also in the message.
void require_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
        throw UsageError(text("--", option, ' ', value, " is out of range"),
                         Hint{text("a whole number from ", least, " to ", most)});
}

/// The settings that a checkpoint guards, by the names it has for them.
void check_allowed(const std::vector<std::string>& allowed) {
    static const std::vector<std::string> guarded{"net",
                                                  "nz",
                                                  "generator-widths",
                                                  "discriminator-widths",
                                                  "coding",
                                                  "precision",
                                                  "batch",
                                                  "micro-batch",
                                                  "seed",
                                                  "ema",
                                                  "sync-batch-norm",
                                                  "tiles",
                                                  "tile-metres",
                                                  "tile-pixels",
                                                  "crs-epsg"};
    for (const std::string& word : allowed) {
        if (std::find(guarded.begin(), guarded.end(), word) != guarded.end()) continue;
        const auto near = nearest(word, guarded);
        std::string all;
        for (const auto& name : guarded) all += (all.empty() ? "" : ", ") + name;
        throw UsageError(text("--allow-change ", word, ": no fixed setting has this name"),
                         Hint{near ? "did you mean " + *near + '?' : "one of " + all});
    }
}

void check_widths(const NetChoice& choice) {
    constexpr std::int64_t widest = 1'000'000;
    require_range("nz", choice.nz, 0, widest);
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

void check_values(const Configuration& c) {
    require_range("generator-lr", c.hyperparameters.generator_lr, 0, 1);
    require_range("discriminator-lr", c.hyperparameters.discriminator_lr, 0, 1);
    require_range("beta1", c.hyperparameters.beta1, 0, 0.999999);
    require_range("beta2", c.hyperparameters.beta2, 0, 0.999999999);
    require_range("instance-noise", c.hyperparameters.instance_noise, 0, 10);
    require_range("translate", c.hyperparameters.translate, 0, 0.5);
    require_range("label-smoothing", c.hyperparameters.label_smoothing, 0.5, 1);
    require_range("ema", c.hyperparameters.ema, 0, 0.999999);
    require_range("keep", std::int64_t{c.run_options.keep}, 1, 1'000'000);
    constexpr std::int64_t most = 1'000'000'000'000'000;
    require_range("steps", c.run_options.steps, 0, most);
    require_range("epochs", c.run_options.epochs, 0, 1e9);
    require_range("checkpoint-every", c.run_options.checkpoint_every, 0, most);
    require_range("checkpoint-minutes", c.run_options.checkpoint_minutes, 0, 1e15);
    require_range("keep-every", c.run_options.keep_every, 0, most);
    require_range("sample-every", c.run_options.sample_every, 0, most);
    require_range("max-minutes", c.run_options.max_minutes, 0, 1e15);
    check_allowed(c.run_options.allow_change);
    if (c.run_options.steps != 0 && c.run_options.epochs != 0)
        throw UsageError("--steps and --epochs are both given", Hint{"give one of them"});
}

int checked_node_size(std::int64_t ranks) {
    require_range("node-size", ranks, 0, 1'000'000);
    return static_cast<int>(ranks);
}

Nets checked_nets(NetChoice choice) {
    check_widths(choice);
    Nets nets(std::move(choice));
    for (const auto* net : {&nets.gan().generator, &nets.gan().discriminator})
        (void)net::parameter_count(*net);
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

void check_step(const Problem& problem) {
    constexpr double most = 1e16;  // far beyond any machine
    double values = 0;             // of a tile
    for (const auto* net : {&problem.gan().generator, &problem.gan().discriminator})
        for (const auto& shape : net::shapes_of(*net))
            values += static_cast<double>(shape.elements());
    if (values * static_cast<double>(problem.batch) <= most) return;
    throw UsageError(text("--batch ", problem.batch, " of tiles that are ", values,
                          " values on their way through ", problem.gan().name,
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
            Hint{text("--batch ", next_multiple(workload.batch, workload.micro_batch))});
    if (workload.micro_batches() % mesh[Axis::data] != 0)
        throw UsageError(text("a batch of ", workload.batch, " tiles, ", workload.micro_batches(),
                              " micro-batches of ", workload.micro_batch, ", cannot be shared by ",
                              mesh[Axis::data], " ranks of the data axis"),
                         Hint{text("--batch ", workload.micro_batch * mesh[Axis::data],
                                   ", or a smaller --micro-batch")});
}

void check_chunks(const Problem& problem, const LayoutOptions& options) {
    const auto* const schedule = std::get_if<ScheduleName>(&options.schedule);
    if (schedule == nullptr) return;
    const auto& gan = problem.gan();
    const auto layers = std::min(gan.generator.layers.size(), gan.discriminator.layers.size());
    if (static_cast<std::size_t>(schedule->chunks) > layers)
        throw UsageError(
            text("--schedule ", schedule->name, " needs ", schedule->chunks,
                 " stages a coordinate, the nets of ", gan.name, " have ", layers, " layers"),
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
    const std::string devices = options.devices();
    if (options.offload != Offload::none && devices.find("cuda") != std::string::npos)
        throw UsageError(text("--offload ", to_string(options.offload),
                              " is for ranks that compute on CPUs, these do on ", devices),
                         Hint{"--shard parameters divides the same memory among GPUs"});
}

}  // namespace civitas::planner
