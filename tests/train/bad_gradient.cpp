#include "support/tensor.hpp"

#include "civitas/data/order.hpp"
#include "civitas/runs/held_run_folder.hpp"
#include "civitas/steps/objectives.hpp"
#include "support/agree.hpp"
#include "support/shared_folder.hpp"
#include "train/agreement.hpp"
#include "train/trainer.hpp"

// A finite loss with a gradient that is not, for one micro-batch of real tiles alone.

using namespace civitas;
using namespace civitas::test;
using namespace civitas::steps;
using namespace civitas::train;

namespace {

constexpr std::int64_t tiles = 8;
/// The only one that is not zero: in micro-batch 2 of 4.
constexpr Sample odd_one{5};
constexpr std::int64_t pixels = 64;

/// Tiles all road, which `--coding grey` makes zero; the odd one is half built over.
void write_odd_store(const comm::Communicator& ranks, const std::filesystem::path& file) {
    data::StoreHeader header;
    header.crs_epsg = 2056;
    header.pixels = pixels;
    header.sources = {{"formula", ""}};
    std::vector<data::TileRecord> records;
    std::vector<std::uint8_t> classes;
    if (ranks.is_root()) {
        records.resize(tiles);
        classes.assign(tiles * pixels * pixels, static_cast<std::uint8_t>(LandClass::road));
        const std::int64_t odd_tile = data::draw(Seed{1}, tiles, odd_one).position;
        std::fill_n(classes.begin() + odd_tile * pixels * pixels, pixels * pixels / 2,
                    static_cast<std::uint8_t>(LandClass::building));
    }
    data::write_tile_store(ranks, file, header, records, classes);
}

planner::Configuration configuration(const std::string& store, const std::string& run) {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64",
                                    .nz = 8,
                                    .generator_widths = {8, 8, 8, 8},
                                    .discriminator_widths = {8, 8, 8, 8},
                                    .coding = Coding::grey});
    c.problem.batch = tiles;
    c.problem.micro_batch = 2;
    c.problem.seed = 1;
    c.hyperparameters.instance_noise = c.hyperparameters.translate = 0;
    c.layout_options.threads = 1;
    c.run_options.tiles = store;
    c.run_options.run = run;
    c.run_options.steps = 2;
    return c;
}

/// D's first convolution gives zeros for zeros and huge values else; the second forgets them, so
/// that its outputs are small and its gradient is huge.
void poison(const optim::ModelState& discriminator) {
    const auto& slots = discriminator.layout().slots();
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].parameter.name == "conv0.weight") discriminator.weights().view(i).fill_(1e37);
        if (slots[i].parameter.name == "conv1.weight") discriminator.weights().view(i).zero_();
    }
}

std::string end_of_run(const comm::Communicator& world, const planner::Configuration& c) {
    Log log(world.rank());
    const planner::CostModel model = agree_on_model(world, c);
    planner::StepPlan plan;
    plan.layout = agree_on_layout(world, c, model);
    const environment::Process process =
        agree_on_process(world, c.layout_options, plan.layout.mesh, log);
    const comm::Mesh mesh(world, plan.layout.mesh);
    const auto store = data::TileStore::open(world, c.run_options.tiles);
    runs::RunState state(c, plan.layout, process, mesh, store);
    poison(state.models()[schedule::gan::discriminator]);
    const auto before = state.models()[schedule::gan::discriminator].weights().flat().clone();
    const runs::HeldRunFolder held = runs::hold_run_folder(world, c.run_options.run, log);
    const runs::RunFolder& folder = held.folder;
    StopSignals signals;
    const auto objective = steps::objective_of(c, store, process.device);
    const Run run{c, process, model, plan, mesh, folder, store, objective, log, mesh.world()};
    train::SyncCourse course;
    Trainer trainer(run, state, signals, course);
    std::string said = "a finite gradient";
    try {
        (void)trainer.run_all();
    } catch (const AgreedError& e) {
        said = e.what();
    }
    CHECK(state.models()[schedule::gan::discriminator].weights().flat().equal(before));
    CHECK(checkpoint::list(folder.checkpoints()).empty());
    return said;
}

}  // namespace

TEST_CASE("a bad gradient with a finite loss names pass and micro-batch, and nothing is updated") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const SharedFolder folder(world, "bad_gradient");
    const auto file = folder.path() / "tiles.h5";
    write_odd_store(world, file);
    planner::Configuration c = configuration(file, folder.path() / "run");
    for (const auto& [other, replicas] : {std::pair<std::string, int>{"pipe=1", 1},
                                          {"pipe=1", 2},
                                          {"pipe=2", 1},
                                          {"tensor=2", 1}}) {
        const int ranks = other.back() - '0';
        if (world.size() % ranks != 0 || world.size() * replicas > tiles / 2) continue;
        c.layout_options.replicas = c.layout_options.threads.emplace(replicas);
        c.layout_options.mesh = MeshRequest(text("data=", world.size() / ranks, ",", other));
        INFO(c.layout_options.mesh.words() << ", replicas " << replicas);
        const std::string said = end_of_run(world, c);
        CHECK_THAT(
            said, Catch::StartsWith("in step 1 the gradient of discriminator conv1.weight, pass "
                                    "real, micro-batch 2, is not finite. Hint: a lower") &&
                      Catch::EndsWith("; what was saved stays.") && !Catch::Contains("checkpoint"));
        REQUIRE_ALL(world, said == world.broadcast(said));
    }
}
