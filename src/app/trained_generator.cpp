#include "trained_generator.hpp"

#include "checkpoint_choice.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/steps/drawing.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace civitas::app {
namespace {

namespace fs = std::filesystem;

/// The group that holds what the generator draws with.
std::string drawing_group(const checkpoint::Contents& contents, const std::string& array,
                          const std::string& without_mean) {
    const std::string mean = "/generator/ema/" + array;
    const bool there = std::any_of(contents.arrays.begin(), contents.arrays.end(),
                                   [&](const auto& a) { return a.name == mean; });
    return there ? mean : "/generator/" + without_mean + "/" + array;
}

}  // namespace

TrainedGenerator::TrainedGenerator(checkpoint::Contents contents, planner::Problem problem)
    : contents_(std::move(contents)),
      problem_(std::move(problem)),
      layout_(net::parameters_of(description())),
      weights_(layout_, nn::master_type(problem_.precision), at::kCPU),
      buffers_(description(), nn::master_type(problem_.precision), at::kCPU),
      stage_(optim::make_layers(description(), {weights_.views(), buffers_}, {})) {}

TrainedGenerator TrainedGenerator::load(const comm::Communicator& world, const fs::path& where,
                                        Log& log) {
    std::optional<TrainedGenerator> found;
    read_checkpoint(world, where, log, [&](const fs::path& file) {
        found.reset();
        found.emplace(load_file(world, file));
        log.info(
            text("generator of ", file.string(), ", step ", index(found->contents_.header.step)));
    });
    return std::move(*found);
}

TrainedGenerator TrainedGenerator::load_file(const comm::Communicator& world,
                                             const fs::path& file) {
    const auto contents = checkpoint::read_contents(world, file);
    TrainedGenerator g = comm::agree(
        world, [&] { return TrainedGenerator(contents, problem_in(file, contents.header)); });
    std::vector<checkpoint::Shard> shards;
    const auto add = [&](const std::string& name, const std::string& group,
                         const at::Tensor& view) {
        shards.push_back(
            checkpoint::whole(drawing_group(g.contents_, name, group), view, world.is_root()));
    };
    for (std::size_t i = 0; i < g.layout_.slots().size(); ++i)
        add(g.layout_.slots()[i].parameter.name, "parameters", g.weights_.view(i));
    for (std::size_t i = 0; i < g.buffers_.specs().size(); ++i)
        add(g.buffers_.specs()[i].name, "buffers", g.buffers_.tensors()[i]);
    checkpoint::load(world, file, shards, world);
    return g;
}

at::Tensor TrainedGenerator::draw(Seed seed, Range plans) const {
    return steps::draw_plans([this](const at::Tensor& z) { return stage_.evaluate(z); },
                             tasks::plan_latents(seed, problem_.nets.nz()), plans,
                             weights_.flat().options());
}

double TrainedGenerator::number(const std::string& fact) const {
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

}  // namespace civitas::app
