#include "civitas/inference/trained_net.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/inference/checkpoint_choice.hpp"
#include "civitas/nn/calibration.hpp"
#include "civitas/nn/instructions.hpp"
#include "civitas/runs/conditions.hpp"
#include "civitas/runs/ground_notes.hpp"
#include "civitas/schedule/classifier.hpp"
#include "civitas/steps/drawing.hpp"
#include "civitas/tasks/calibration.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace civitas::inference {
namespace {

namespace fs = std::filesystem;

/// Whether what is wanted is the mean.
bool takes_mean(const fs::path& file, const checkpoint::Contents& contents, const std::string& net,
                Weights wanted) {
    const std::string folder = "/" + net + "/ema/";
    const bool kept = std::any_of(contents.arrays.begin(), contents.arrays.end(),
                                  [&](const auto& a) { return a.name.starts_with(folder); });
    if (wanted != Weights::mean) return kept && wanted == Weights::automatic;
    if (net != "generator")
        throw UsageError(text("--weights mean: no mean is kept of a ", net, "'s weights"),
                         Hint{"--weights last"});
    if (!kept)
        throw UsageError(text("--weights mean: ", file, " has no mean, its run had --ema 0"),
                         Hint{"--weights last"});
    return true;
}

}  // namespace

Wanted generator_of(const fs::path& file, const planner::Problem& problem) {
    if (problem.task() == TaskKind::gan) return {schedule::gan::generator};
    throw UsageError(
        text(file, " holds a classifier, ", problem.nets.name(), ", which draws no plans"),
        Hint{"civitas classify, or the checkpoint of a GAN"});
}

Wanted classifier_of(const fs::path& file, const planner::Problem& problem) {
    if (problem.task() == TaskKind::classify) return {schedule::classifier::net};
    throw UsageError(text(file, " holds a GAN, ", problem.nets.name(), ", which tells no classes"),
                     Hint{"civitas generate, or the checkpoint of a classifier: civitas train "
                          "--task classify"});
}

TrainedNet::TrainedNet(Source source, Wanted wanted)
    : file_(std::move(source.file)),
      contents_(std::move(source.contents)),
      problem_(std::move(source.problem)),
      conditions_(std::move(source.conditions)),
      net_(wanted.net),
      mean_(takes_mean(file_, contents_, description().name, wanted.weights)),
      layout_(net::parameters_of(description())),
      weights_(layout_, nn::master_type(problem_.precision), at::kCPU),
      buffers_(description(), nn::master_type(problem_.precision), at::kCPU),
      stage_(optim::make_layers(
          nn::for_evaluation(description(), nn::master_type(problem_.precision), at::kCPU),
          {weights_.views(), buffers_}, {})) {}

TrainedNet TrainedNet::load(const comm::Communicator& world, const fs::path& where,
                            const Choose& choose, Log& log) {
    std::optional<TrainedNet> found;
    read_checkpoint(world, where, log, [&](const fs::path& file) {
        found.reset();
        found.emplace(load_file(world, file, choose));
        log.info(text(found->description().name, " of ", file.string(), ", step ",
                      index(found->contents_.header.step)));
    });
    return std::move(*found);
}

TrainedNet TrainedNet::load_file(const comm::Communicator& world, const fs::path& file,
                                 const Choose& choose) {
    const auto contents = checkpoint::read_contents(world, file);
    TrainedNet net = comm::agree(world, [&] {
        auto problem = problem_in(file, contents.header);
        auto conditions = runs::conditions_in(problem, contents.header);
        Source source{file, contents, std::move(problem), std::move(conditions)};
        const Wanted wanted = choose(file, source.problem);
        return TrainedNet(std::move(source), wanted);
    });
    const std::string folder = "/" + net.description().name + "/";
    std::vector<checkpoint::Shard> shards;
    const auto add = [&](const std::string& name, const char* group, const at::Tensor& view) {
        shards.push_back(checkpoint::whole(folder + (net.mean_ ? "ema" : group) + "/" + name, view,
                                           world.is_root()));
    };
    for (std::size_t i = 0; i < net.layout_.slots().size(); ++i)
        add(net.layout_.slots()[i].parameter.name, "parameters", net.weights_.view(i));
    for (std::size_t i = 0; i < net.buffers_.specs().size(); ++i)
        add(net.buffers_.specs()[i].name, "buffers", net.buffers_.tensors()[i]);
    checkpoint::load(world, file, shards, world);
    if (net.mean_) net.calibrate();
    return net;
}

void TrainedNet::calibrate() {
    if (buffers_.tensors().empty()) return;
    nn::Calibration calibration;
    for (std::int64_t i = 0; i < tasks::calibration_micro_batches(problem_); ++i)
        (void)calibration.forward(stage_,
                                  tasks::calibration_noise(problem_, conditions_, i, options()));
    calibration.store(buffers_.tensors());
}

at::Tensor TrainedNet::evaluate(const at::Tensor& x_BCHW) const { return stage_.evaluate(x_BCHW); }

at::Tensor TrainedNet::evaluate_each(const at::Tensor& x_BCHW) const {
    return stage_.evaluate_each(x_BCHW);
}

std::vector<std::pair<std::string, at::Tensor>> TrainedNet::arrays() const {
    std::vector<std::pair<std::string, at::Tensor>> arrays;
    std::size_t parameter = 0, buffer = 0;
    for (const net::LayerDescription& layer : description().layers) {
        for (const auto& p : net::parameters_of(layer))
            arrays.emplace_back(p.name, weights_.view(parameter++));
        for (const auto& b : net::buffers_of(layer))
            arrays.emplace_back(b.name, buffers_.tensors().at(buffer++));
    }
    return arrays;
}

double TrainedNet::number(const std::string& fact) const {
    const auto found = contents_.header.facts.find(fact);
    const std::string words = found == contents_.header.facts.end() ? "" : found->second;
    double value = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
    if (error != std::errc{} || end != words.data() + words.size())
        throw Error(
            text("the checkpoint says ", fact, " = '", printable(words), "', which is no number"),
            Hint{"was it written by this program?"});
    return value;
}

data::StoreHeader ground_of(const TrainedNet& generator) {
    data::StoreHeader ground;
    ground.crs_epsg = static_cast<std::int64_t>(generator.number("crs-epsg"));
    const auto& notes = generator.contents().header.notes;
    if (const auto wkt = notes.find(runs::crs_wkt_note); wkt != notes.end())
        ground.crs_wkt = wkt->second;
    ground.tile_metres = generator.number("tile-metres");
    ground.pixels = static_cast<std::int64_t>(generator.number("tile-pixels"));
    return ground;
}

tasks::LatentOptions plan_latents(const TrainedNet& generator, Seed seed,
                                  const conditions::Wish& wish) {
    auto latents = tasks::plan_latents(seed, generator.problem().nets.nz());
    latents.condition = tasks::as_training_tiles(generator.conditions(), seed);
    if (!std::holds_alternative<std::monostate>(wish))
        latents.condition = [numbers = generator.conditions().numbers(wish)](Sample) {
            return numbers;
        };
    return latents;
}

at::Tensor draw(const TrainedNet& generator, Seed seed, Range plans, const conditions::Wish& wish) {
    return steps::draw_plans([&](const at::Tensor& z) { return generator.evaluate_each(z); },
                             plan_latents(generator, seed, wish), plans, generator.options());
}

}  // namespace civitas::inference
