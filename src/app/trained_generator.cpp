#include "trained_generator.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/train/drawing.hpp"
#include "civitas/train/persistence.hpp"
#include "civitas/train/run_folder.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

namespace civitas::app {
namespace {

namespace fs = std::filesystem;

using Warn = std::function<void(const std::string&)>;

/// Names of the checkpoints in a run folder or a folder; root only, empty on the others.
std::vector<fs::path> listed(const comm::Communicator& world, const fs::path& where) {
    std::error_code unreadable;
    if (!world.is_root() || !fs::is_directory(where, unreadable)) return {};
    const fs::path folder = train::RunFolder{where}.checkpoints();
    return checkpoint::list(fs::is_directory(folder, unreadable) ? folder : where);
}

/// What the root sees under a name; the others may see something else, or nothing.
bool root_sees_folder(const comm::Communicator& world, const fs::path& where) {
    std::error_code unreadable;
    return world.any(world.is_root() && fs::is_directory(where, unreadable));
}

fs::path checkpoint_at(const comm::Communicator& world, const fs::path& where, const Warn& warn) {
    comm::agree(world, [&] {
        if (!fs::exists(where))
            throw UsageError(text("there is no checkpoint or run folder ", where),
                             Hint{"--checkpoint with a file step-*.h5 or a run folder"});
    });
    if (!root_sees_folder(world, where)) return where;
    const fs::path folder = train::RunFolder{where}.checkpoints();
    const auto newest =
        checkpoint::newest_whole(world, root_sees_folder(world, folder) ? folder : where, warn);
    if (!newest)
        throw AgreedError(text(where,
                               " holds no checkpoint. Hint: civitas train writes them into "
                               "RUN/checkpoints."),
                          true);
    return *newest;
}

/// What a file says may be anybody's idea.
planner::Problem problem_in(const fs::path& file, const checkpoint::Header& header) {
    try {
        return train::problem_of(header.facts);
    } catch (const std::exception& e) {
        throw Error(text("the facts of ", file, " describe no net: ", printable(e.what())),
                    Hint{"another checkpoint: this one was not written by this program"});
    }
}

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
      layout_(net::parameters_of(gan().generator)),
      weights_(layout_, nn::master_type(problem_.precision), at::kCPU),
      buffers_(gan().generator, nn::master_type(problem_.precision), at::kCPU),
      stage_(parallel::make_layers(gan().generator, {weights_, nullptr, buffers_}, {})) {}

// A training that goes on in a run folder removes its older checkpoints: then the list has changed.
TrainedGenerator TrainedGenerator::load(const comm::Communicator& world, const fs::path& where,
                                        Log& log) {
    constexpr int most_tries = 10;
    for (int tries = 1; root_sees_folder(world, where); ++tries) {
        const auto before = listed(world, where);
        std::vector<std::string> warnings;
        try {
            const fs::path file = checkpoint_at(
                world, where, [&](const std::string& line) { warnings.push_back(line); });
            TrainedGenerator found = load(world, file, log);
            for (const std::string& line : warnings) log.warn(line);
            return found;
        } catch (const AgreedError&) {
            if (tries < most_tries && world.any(listed(world, where) != before)) continue;
            for (const std::string& line : warnings) log.warn(line);
            throw;
        }
    }
    const fs::path file = checkpoint_at(world, where, [](const std::string&) {});
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
    log.info(text("generator of ", file.string(), ", step ", index(g.contents_.header.step)));
    return g;
}

at::Tensor TrainedGenerator::draw(Seed seed, Range plans) const {
    return train::draw_plans([this](const at::Tensor& z) { return stage_.evaluate(z); },
                             {seed, Purpose::plan, gan().nz}, plans, weights_.flat().options());
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
