#include "command_files.hpp"
#include "commands.hpp"

#include "civitas/base/coding.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/base/names.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/inference/pytorch_layers.hpp"
#include "civitas/inference/torchvision_model.hpp"
#include "civitas/inference/trained_net.hpp"
#include "civitas/io/safetensors.hpp"
#include "civitas/runs/class_names.hpp"
#include "civitas/runs/conditions.hpp"
#include "civitas/runs/ground_notes.hpp"
#include "civitas/schedule/classifier.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/augment.hpp"

#include <array>

namespace civitas::app {
namespace {

struct ExportOptions {
    std::string checkpoint;
    std::string to;
    std::string net;
    std::string weights = "auto";
    std::int64_t latents = 0;
    std::uint64_t seed = 1;
    bool overwrite = false;
    std::string config;
};

inference::Weights weights_of(const ExportOptions& o) {
    using inference::Weights;
    static constexpr std::array<NamedValue<Weights>, 3> weights{
        {{"auto", Weights::automatic}, {"mean", Weights::mean}, {"last", Weights::last}}};
    return value_named(o.weights, "weights", weights);
}

/// The first one of a checkpoint where none is named.
schedule::NetId net_of(const ExportOptions& o) {
    static constexpr std::array<NamedValue<schedule::NetId>, 3> nets{
        {{"generator", schedule::gan::generator},
         {"discriminator", schedule::gan::discriminator},
         {"classifier", schedule::classifier::net}}};
    return o.net.empty() ? schedule::NetId{0} : value_named(o.net, "net", nets);
}

void check(const ExportOptions& o) {
    (void)net_of(o);
    (void)weights_of(o);
    constexpr std::int64_t most = 1'000'000;
    if (o.latents < 0 || o.latents > most)
        throw UsageError(text("--latents ", o.latents, ": expected 0 to ", most));
    if (o.net != "discriminator") return;
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
        .add("net", o.net,
             "generator, discriminator or classifier; the discriminator only where said")
        .add("weights", o.weights,
             "mean, last, or auto: what plans are drawn with, the mean where the run keeps one")
        .add("latents", o.latents, "add the noise of the first plans: a tensor 'latents'")
        .add("seed", o.seed, "of that noise, as of civitas generate")
        .add("overwrite", o.overwrite, "replace an output that exists")
        .goes_with("seed", "latents")
        .required("checkpoint")
        .required("to");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    check(o);
    return o;
}

inference::Wanted wanted(const ExportOptions& o, const std::filesystem::path& file,
                         const planner::Problem& problem) {
    const bool classifies = problem.task() == TaskKind::classify;
    if (!o.net.empty() && (o.net == "classifier") != classifies)
        throw UsageError(text("--net ", o.net, ": ", file, " holds a ",
                              classifies ? "classifier, " : "GAN, ", problem.nets.name()),
                         Hint{classifies ? "--net classifier, or leave it out"
                                         : "--net generator or --net discriminator"});
    if (classifies && o.latents > 0)
        throw UsageError("--latents is given, but a classifier reads no noise",
                         Hint{"leave it out"});
    return {net_of(o), weights_of(o)};
}

using Words = std::map<std::string, std::string>;

/// What a user needs to make the net in PyTorch.
Words about_net(const inference::TrainedNet& net) {
    const planner::Nets& nets = net.problem().nets;
    if (net.problem().task() == TaskKind::gan) {
        Words gan{{"layers", inference::pytorch_layers(net.description())},
                  {"nz", text(nets.nz())},
                  {"condition", std::string(to_string(net.problem().condition()))}};
        gan.merge(runs::facts_of(net.conditions()));
        gan.merge(runs::notes_of(net.conditions()));
        return gan;
    }
    Words words = inference::torchvision_model(nets);
    words["classes"] = text(nets.choice().classes);
    const auto& notes = net.contents().header.notes;
    const auto names = notes.find(runs::class_names_note);
    if (names != notes.end()) words[runs::class_names_note] = names->second;
    return words;
}

Words about(const inference::TrainedNet& net, const ExportOptions& o) {
    const checkpoint::Header& header = net.contents().header;
    const planner::Nets& nets = net.problem().nets;
    Words words{{"format", "pt"},
                {"program", text("civitas ", version())},
                {"net", nets.name()},
                {"part", net.description().name},
                {"pixels", text(nets.pixels())},
                {"coding", std::string(to_string(net.problem().coding()))},
                {"weights", net.has_mean() ? "mean" : "last"},
                {"step", text(index(header.step))},
                {"fingerprint", hex(net.contents().fingerprint)}};
    words.merge(about_net(net));
    if (o.latents > 0) words["seed"] = text(o.seed);
    const auto learnt = runs::licence_in(header.notes);
    if (!learnt.empty()) words[runs::licence_note] = learnt;
    return words;
}

void write(const inference::TrainedNet& net, const ExportOptions& o) {
    auto arrays = net.arrays();
    if (o.latents > 0)
        arrays.emplace_back("latents",
                            tasks::latent(inference::plan_latents(net, Seed{o.seed}), 0, Sample{0},
                                          o.latents, at::TensorOptions(at::kFloat)));
    std::vector<io::FloatArray> values;
    for (auto& [name, array] : arrays) {
        array = array.to(at::kFloat).contiguous();
        values.push_back(
            {name,
             array.sizes().vec(),
             {array.const_data_ptr<float>(), static_cast<std::size_t>(array.numel())}});
    }
    io::write_safetensors(o.to, about(net, o), values, io::replace_if(o.overwrite));
}

io::CommandFiles files_of(const ExportOptions& o) {
    io::CommandFiles files{
        {{"--config", o.config}}, {{"--to", o.to, {io::FileFormat::safetensors}}}, o.overwrite};
    add_run(files, "--checkpoint", o.checkpoint);
    return files;
}

}  // namespace

Exit export_command(const comm::Communicator& world, Arguments arguments) {
    const auto o =
        cli::agreed_options(world, [&](const auto& read) { return parse_export(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, [&] { return files_of(o); });
    const auto net = inference::TrainedNet::load(
        world, o.checkpoint,
        [&](const auto& file, const auto& problem) { return wanted(o, file, problem); }, log);
    comm::on_root(world, [&] { write(net, o); });
    log.info(text("wrote ", o.to, ": ", net.description().name, " of step ",
                  index(net.contents().header.step), ", ",
                  net.has_mean() ? "mean of its weights" : "its last weights"));
    return Exit::done;
}

}  // namespace civitas::app
