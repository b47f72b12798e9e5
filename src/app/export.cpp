#include "checkpoint_choice.hpp"
#include "command_files.hpp"
#include "commands.hpp"
#include "pytorch_layers.hpp"

#include "civitas/base/coding.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/safetensors.hpp"
#include "civitas/runs/facts.hpp"
#include "civitas/steps/drawing.hpp"

#include <ATen/ops/empty.h>

namespace civitas::app {
namespace {

struct ExportOptions {
    std::string checkpoint;
    std::string to;
    std::string net = "generator";
    std::string weights = "auto";
    std::int64_t latents = 0;
    std::uint64_t seed = 1;
    bool overwrite = false;
    std::string config;
};

void check_word(const std::string& option, const std::string& word,
                const std::vector<std::string>& known) {
    std::string all;
    for (const auto& name : known) {
        if (word == name) return;
        all += (all.empty() ? "" : ", ") + name;
    }
    throw UsageError(text(option, ' ', word, ": no such choice"), Hint{"one of " + all});
}

void check(const ExportOptions& o) {
    check_word("--net", o.net, {"generator", "discriminator"});
    check_word("--weights", o.weights, {"auto", "mean", "last"});
    constexpr std::int64_t most = 1'000'000;
    if (o.latents < 0 || o.latents > most)
        throw UsageError(text("--latents ", o.latents, ": expected 0 to ", most));
    if (o.net == "generator") return;
    if (o.latents > 0)
        throw UsageError("--latents is given, but a discriminator reads no noise",
                         Hint{"--net generator"});
    if (o.weights == "mean")
        throw UsageError("--weights mean: no mean is kept of a discriminator's weights",
                         Hint{"--weights last"});
}

ExportOptions parse_export(Arguments arguments, const cli::ReadFile& read) {
    ExportOptions o;
    cli::Options options("civitas export",
                         "Writes a trained net for PyTorch: a safetensors file with the names and "
                         "shapes of a state dict, fp32.");
    options.add("checkpoint", o.checkpoint, "run folder or checkpoint file")
        .add("to", o.to, "safetensors file to write")
        .add("net", o.net, "generator or discriminator")
        .add("weights", o.weights,
             "mean, last, or auto: what plans are drawn with, the mean where the run keeps one")
        .add("latents", o.latents, "add the noise of the first plans: a tensor 'latents'")
        .add("seed", o.seed, "of that noise, as of civitas generate")
        .add("overwrite", o.overwrite, "replace an output that exists")
        .required("checkpoint")
        .required("to");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    check(o);
    return o;
}

/// A net of a checkpoint. The arrays lie on the root alone.
struct TrainedNet {
    checkpoint::Contents contents;
    planner::Problem problem;
    bool mean = false;  ///< of the weights and statistics, not the last ones
    std::vector<std::pair<std::string, at::Tensor>> arrays = {};

    [[nodiscard]] const net::NetDescription& description(const ExportOptions& o) const {
        return problem
            .nets[o.net == "generator" ? schedule::gan::generator : schedule::gan::discriminator];
    }
};

bool takes_mean(const ExportOptions& o, const std::filesystem::path& file,
                const checkpoint::Header& header) {
    const bool kept = runs::keeps_mean(header.facts);
    if (o.weights == "mean" && !kept)
        throw UsageError(text("--weights mean: ", file, " has no mean, its run had --ema 0"),
                         Hint{"--weights last"});
    return kept && o.net == "generator" && o.weights != "last";
}

/// Fills `net.arrays` with what the root reads, in layer order; empty on other ranks.
std::vector<checkpoint::Shard> shards_of(TrainedNet& net, const ExportOptions& o) {
    std::vector<checkpoint::Shard> shards;
    const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape,
                         const std::string& group) {
        const at::Tensor values = at::empty(shape, at::kFloat);
        net.arrays.emplace_back(name, values);
        shards.push_back(checkpoint::whole(
            text('/', o.net, '/', net.mean ? "ema" : group, '/', name), values, true));
    };
    for (const net::LayerDescription& layer : net.description(o).layers) {
        for (const auto& p : net::parameters_of(layer)) add(p.name, p.shape, "parameters");
        for (const auto& b : net::buffers_of(layer)) add(b.name, {b.elements}, "buffers");
    }
    return shards;
}

TrainedNet read_net(const comm::Communicator& world, const ExportOptions& o,
                    const std::filesystem::path& file) {
    const auto contents = checkpoint::read_contents(world, file);
    std::vector<checkpoint::Shard> shards;
    TrainedNet net = comm::agree(world, [&] {
        TrainedNet read{contents, problem_in(file, contents.header),
                        takes_mean(o, file, contents.header)};
        if (world.is_root()) shards = shards_of(read, o);
        return read;
    });
    checkpoint::load(world, file, shards);
    return net;
}

std::map<std::string, std::string> about(const TrainedNet& net, const ExportOptions& o) {
    const checkpoint::Header& header = net.contents.header;
    const planner::Nets& nets = net.problem.nets;
    std::map<std::string, std::string> words{
        {"format", "pt"},
        {"program", text("civitas ", version())},
        {"net", nets.name()},
        {"part", o.net},
        {"layers", pytorch_layers(net.description(o))},
        {"nz", text(nets.nz())},
        {"pixels", text(nets.pixels())},
        {"coding", std::string(to_string(net.problem.coding()))},
        {"weights", net.mean ? "mean" : "last"},
        {"step", text(index(header.step))},
        {"fingerprint", hex(net.contents.fingerprint)}};
    if (o.latents > 0) words["seed"] = text(o.seed);
    const auto learnt = header.notes.find("training-licence");
    if (learnt != header.notes.end()) words["training-licence"] = learnt->second;
    return words;
}

void write(const TrainedNet& net, const ExportOptions& o) {
    auto arrays = net.arrays;
    if (o.latents > 0)
        arrays.emplace_back(
            "latents", tasks::latent(tasks::plan_latents(Seed{o.seed}, net.problem.nets.nz()), 0,
                                     Sample{0}, o.latents, at::TensorOptions(at::kFloat)));
    std::vector<io::FloatArray> values;
    for (const auto& [name, array] : arrays)
        values.push_back(
            {name,
             array.sizes().vec(),
             {array.const_data_ptr<float>(), static_cast<std::size_t>(array.numel())}});
    io::write_safetensors(o.to, about(net, o), values, io::replace_if(o.overwrite));
}

io::CommandFiles files_of(const ExportOptions& o) {
    io::CommandFiles files{{{"--config", o.config}}, {{"--to", o.to}}, o.overwrite};
    add_run(files.reads, "--checkpoint", o.checkpoint);
    return files;
}

}  // namespace

Exit export_command(const comm::Communicator& world, Arguments arguments) {
    const auto o =
        cli::agreed_options(world, [&](const auto& read) { return parse_export(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, files_of(o));
    std::optional<TrainedNet> net;
    read_checkpoint(world, o.checkpoint, log,
                    [&](const auto& file) { net.emplace(read_net(world, o, file)); });
    comm::on_root(world, [&] { write(*net, o); });
    log.info(text("wrote ", o.to, ": ", o.net, " of step ", index(net->contents.header.step), ", ",
                  net->mean ? "mean of its weights" : "its last weights"));
    return Exit::done;
}

}  // namespace civitas::app
