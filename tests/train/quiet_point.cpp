#include "support/tensor.hpp"

#include "civitas/async/shared_net.hpp"
#include "civitas/runs/held_run_folder.hpp"
#include "support/agree.hpp"
#include "support/shared_folder.hpp"
#include "train/async_course.hpp"

#include <array>
#include <set>

// Where ranks make steps each by itself, a checkpoint is what all of them have when they rest.

using namespace civitas;
using namespace civitas::test;

namespace {

constexpr std::int64_t steps_until_rest = 7;

void write_tiles(const comm::Communicator& ranks, const std::filesystem::path& file) {
    data::StoreHeader header;
    header.crs_epsg = 2056;
    header.pixels = 64;
    header.sources = {{"formula", ""}};
    std::vector<std::uint8_t> classes(ranks.is_root() ? 8 * 64 * 64 : 0);
    for (std::size_t i = 0; i < classes.size(); ++i)
        classes[i] = static_cast<std::uint8_t>(i / 640 % 2);
    data::write_tile_store(ranks, file, header,
                           std::vector<data::TileRecord>(ranks.is_root() ? 8 : 0), classes);
}

planner::Configuration by_itself(const std::filesystem::path& folder, AsyncMoments moments) {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64",
                                    .nz = 8,
                                    .generator_widths = {8, 8, 8, 8},
                                    .discriminator_widths = {8, 8, 8, 8}});
    c.problem.batch = c.problem.micro_batch = 4;
    c.layout_options.threads = 1;
    c.update = {.kind = UpdateKind::async, .moments = moments, .delays = {{1, 0.005}}};
    c.run_options.tiles = folder / "tiles.h5";
    c.run_options.run = folder / std::string(moments == AsyncMoments::own ? "own" : "shared");
    c.run_options.steps = steps_until_rest;
    return c;
}

/// A rank of a training, as train_async() has it.
class Trained {
public:
    Trained(const comm::Communicator& world, const planner::Configuration& c)
        : world_(world),
          log_(world.rank()),
          opened_(world, train::configuration_by_itself(c, world), signals_, log_, nullptr),
          run_(opened_.run()),
          counts_(world, static_cast<std::int64_t>(async::BatchCounter::bytes_for(world.size()))),
          counter_(counts_.bytes(), world.size(), index(world.rank()), std::nullopt),
          figures_(world, static_cast<std::int64_t>(train::AsyncCourse::bytes_for(world.size()))),
          room_(memory::shared_memory(world, at::kCPU)),
          nets_{std::make_unique<async::SharedNet>(*room_, c.update.moments),
                std::make_unique<async::SharedNet>(*room_, c.update.moments)},
          state_(opened_.state({nets_[0].get(), nets_[1].get()})) {
        opened_.take_up(state_);
    }
    /// Makes steps until all ranks rest; then the root saves what it has.
    void make_steps() {
        train::AsyncCourse course(world_, counter_, figures_.bytes(), state_);
        steps::StepRunner runner(run_, state_);
        const auto next = [] { return tasks::BetweenSteps{}; };
        if (!world_.is_root()) {
            CHECK(course.follow(runner, next) == Exit::done);
            return;
        }
        std::set<std::int64_t> told;
        (void)course.advance(
            runner, steps_until_rest,
            {.next = next, .ended = [&](const report::StepRecord& r) { told.insert(r.step); }});
        CHECK(std::ssize(told) == steps_until_rest);
        state_.save(run_.folder, log_);
        course.end(Exit::done);
    }
    /// A state that shares nothing, as it begins.
    [[nodiscard]] runs::RunState own_state() const { return opened_.state({}); }
    void load_saved(runs::RunState& state) {
        const auto files = checkpoint::list(run_.folder.checkpoints());
        REQUIRE(files.size() == 1);
        state.resume(files.front(), run_.folder, log_);
    }
    [[nodiscard]] runs::RunState& state() { return state_; }

private:
    const comm::Communicator& world_;
    Log log_;
    StopSignals signals_;
    train::OpenedByItself opened_;
    steps::Run run_;
    comm::NodeMemory counts_;
    async::BatchCounter counter_;
    comm::NodeMemory figures_;
    std::unique_ptr<memory::SharedMemory> room_;
    std::array<std::unique_ptr<async::SharedNet>, 2> nets_;
    runs::RunState state_;
};

/// Arrays of both nets with other numbers, but for those whose names contain `without`.
std::vector<std::string> differing(runs::RunState& a, runs::RunState& b,
                                   const std::string& without) {
    std::vector<std::string> names;
    for (const auto& net : a.models().all())
        for (const auto& other : b.models().all()) {
            if (other->name() != net->name()) continue;
            const auto arrays = other->arrays();
            for (const auto& [name, array] : net->arrays())
                if ((without.empty() || name.find(without) == std::string::npos) &&
                    !array.view.equal(arrays.at(name).view))
                    names.push_back(name);
        }
    return names;
}

}  // namespace

TEST_CASE("a checkpoint of a moment of rest is what every rank has then") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const SharedFolder folder(world, "quiet_point");
    write_tiles(world, folder.path() / "tiles.h5");
    for (const AsyncMoments moments : {AsyncMoments::shared, AsyncMoments::own}) {
        Trained rank(world, by_itself(folder.path(), moments));
        rank.make_steps();
        world.barrier();
        runs::RunState saved = rank.own_state(), begun = rank.own_state();
        rank.load_saved(saved);
        REQUIRE_ALL(world, saved.steps_done() == steps_until_rest &&
                               rank.state().steps_done() == steps_until_rest);
        // Moments of their own other ranks have, but the root's are saved.
        const bool alone = moments == AsyncMoments::own && !world.is_root();
        const std::vector<std::string> other =
            differing(rank.state(), saved, alone ? "/optimizer/" : "");
        for (const std::string& name : other) UNSCOPED_INFO(name);
        REQUIRE_ALL(world, other.empty());
        CHECK(differing(rank.state(), begun, "/optimizer/").size() > 30);
    }
}
