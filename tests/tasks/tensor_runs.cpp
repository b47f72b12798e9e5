#include "gan_runs.hpp"
#include "local_part.hpp"
#include "support/agree.hpp"

// Five whole steps in fp64 on meshes with a tensor axis against the same steps of one rank.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

constexpr int five = 5;

double distance(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

void check_same(const comm::Communicator& world, const Ours& cut, const Ours& whole,
                double tolerance = 1e-10) {
    for (const auto& [mine, all] :
         {std::pair(&cut.models[schedule::gan::generator], &whole.models[schedule::gan::generator]),
          std::pair(&cut.models[schedule::gan::discriminator],
                    &whole.models[schedule::gan::discriminator])}) {
        const auto arrays = all->arrays();
        double worst = 0;
        for (const auto& [name, local] : mine->arrays()) {
            INFO(name);
            const double apart = distance(local.view, part_of(arrays.at(name).view, local));
            CHECK(apart < tolerance);
            worst = std::max(worst, apart);
        }
        REQUIRE_ALL(world, worst < tolerance);
    }
    for (std::size_t s = 0; s < five; ++s) {
        REQUIRE(cut.values[s].size() == 4);
        for (const StepValue& value : cut.values[s]) {
            INFO(value.key);
            CHECK(std::abs(value.value - value_of(whole.values[s], value.key)) < tolerance);
        }
        const double loss = value_of(cut.values[s], "d_loss");
        CHECK(world.all_gather(loss) ==
              std::vector<double>(static_cast<std::size_t>(world.size()), loss));
    }
}

/// Ways to lay out `ranks` with a tensor axis.
std::vector<std::string> meshes(int ranks) {
    if (ranks == 2) return {"tensor=2"};
    return {"tensor=4", "data=2,tensor=2", "pipe=2,tensor=2"};
}

}  // namespace

TEST_CASE("five steps with a tensor axis are those of one rank") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    // four divides two of the generator's layers' inputs
    c.problem.nets = small_nets({8, 12, 6, 4}, {4, 6, 8, 12});
    const auto whole = run_ours(comm::Communicator::self(), c, five);
    for (const std::string& mesh : meshes(world.size())) {
        INFO(mesh);
        c.layout_options.mesh = MeshRequest(mesh);
        const auto cut = run_ours(world, c, five);
        check_same(world, *cut, *whole);
    }
}

TEST_CASE("with recomputation and redrawing too") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    const auto whole = run_ours(comm::Communicator::self(), c, five);
    c.layout_options.recompute = true;
    c.layout_options.redraw = true;
    c.layout_options.mesh = MeshRequest(text("tensor=", world.size()));
    check_same(world, *run_ours(world, c, five), *whole);
}

TEST_CASE("with batch norm over the data axis too") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    if (world.size() < 4) return;
    planner::Configuration c = small_run();
    c.problem.sync_batch_norm = true;
    c.problem.micro_batch = c.problem.batch;
    const auto whole = run_ours(comm::Communicator::self(), c, five);
    c.problem.micro_batch = c.problem.batch / 2;
    c.layout_options.mesh = MeshRequest("data=2,tensor=2");
    // Sums over ranks of the statistics differ in their order: 1e-8 as without a tensor axis.
    check_same(world, *run_ours(world, c, five), *whole, 1e-8);
}

TEST_CASE("weights, moments and sums are divided over the tensor axis") {
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.problem.nets = small_nets({64, 64, 32, 32}, {32, 32, 64, 64});
    const Ours whole(comm::Communicator::self(), c);
    c.layout_options.mesh = MeshRequest(text("tensor=", world.size()));
    const Ours cut(world, c);
    const auto n = world.size();
    CHECK(cut.models[schedule::gan::generator].bytes() <=
          whole.models[schedule::gan::generator].bytes() / n +
              whole.models[schedule::gan::generator].bytes() / 100);
    CHECK(cut.models[schedule::gan::discriminator].bytes() <=
          whole.models[schedule::gan::discriminator].bytes() / n +
              whole.models[schedule::gan::discriminator].bytes() / 100);
}
