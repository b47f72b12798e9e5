#include "gan_reference.hpp"
#include "local_part.hpp"
#include "support/agree.hpp"

// Three whole steps in fp64 against the same steps written with torch::nn, autograd and
// torch::optim.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

double distance(const torch::Tensor& a, const torch::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

/// All that this rank holds of the net and the reference has, too.
void check_arrays(const optim::ModelState& ours,
                  const std::map<std::string, torch::Tensor>& theirs) {
    std::size_t compared = 0;
    for (const auto& [name, local] : ours.arrays()) {
        const auto expected = theirs.find(name);
        if (expected == theirs.end()) continue;
        INFO(name);
        CHECK(distance(local.view, part_of(expected->second, local)) < 1e-10);
        ++compared;
    }
    const optim::ArenaShard* const mean = ours.updater().state().mean;
    const std::size_t means = mean == nullptr ? 0 : mean->rows().size();
    CHECK(compared == ours.layout().slots().size() + ours.buffers().specs().size() + means);
}

/// Meshes of these ranks with and without a pipe.
std::vector<std::string> meshes_of(int ranks) {
    std::vector<std::string> meshes{text("data=", ranks)};
    if (ranks > 1) meshes.push_back(text("data=", ranks / 2, ",pipe=2"));
    return meshes;
}

/// The table with weights of G's first units gathered while D's gradients are summed, as a user's
/// own may have it.
schedule::Schedule gathered_at_sum(schedule::Schedule table) {
    const auto is_sum = [](const schedule::Action& a) {
        return a.kind == schedule::Kind::reduce && a.net == schedule::gan::discriminator;
    };
    for (auto& actions : table.coordinates)
        for (const int unit : {0, 1}) {
            schedule::Action action{.net = schedule::gan::generator,
                                    .stage = StageId{unit},
                                    .kind = schedule::Kind::gather};
            actions.insert(std::ranges::find_if(actions, is_sum), action);
            action.kind = schedule::Kind::release;
            actions.insert(std::next(std::ranges::find_if(actions, is_sum)), action);
        }
    return table;
}

}  // namespace

TEST_CASE("three whole steps equal torch::nn, autograd and torch::optim") {
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.problem.nets =
        small_nets({8, 8, 4, 4}, {4, 4, 8, 8}, GENERATE(ConditionKind::none, ConditionKind::cover));
    INFO("condition " << to_string(c.problem.condition()));
    const auto reference = run_reference(c);
    const torch::NoGradGuard quiet;
    const auto nets = c.problem.nets;
    auto generator = arrays_of(nets[schedule::gan::generator], reference.generator);
    const auto specs = net::parameters_of(nets[schedule::gan::generator]);
    for (std::size_t i = 0; i < specs.size(); ++i)
        generator["/generator/ema/" + specs[i].name] = reference.mean[i];
    for (const std::string& mesh : meshes_of(world.size())) {
        c.layout_options.mesh = MeshRequest(mesh);
        INFO(mesh);
        const auto ours = run_ours(world, c);
        check_arrays(ours->models[schedule::gan::generator], generator);
        check_arrays(ours->models[schedule::gan::discriminator],
                     arrays_of(nets[schedule::gan::discriminator], reference.discriminator));
        for (std::size_t s = 0; s < steps; ++s) {
            const auto& values = ours->values[s];
            CHECK(value_of(values, "d_loss") == Approx(reference.d_losses[s]).epsilon(1e-10));
            CHECK(value_of(values, "g_loss") == Approx(reference.g_losses[s]).epsilon(1e-10));
        }
    }
}

TEST_CASE("batch norm over the data axis equals one large micro-batch") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.problem.micro_batch = c.problem.batch;
    const auto whole = run_ours(comm::Communicator::self(), c);
    c.problem.sync_batch_norm = true;
    for (const std::string& mesh : meshes_of(world.size())) {
        c.layout_options.mesh = MeshRequest(mesh);
        c.problem.micro_batch =
            c.problem.batch / MeshRequest(mesh).of_ranks(world.size())[Axis::data];
        INFO(mesh);
        const auto shared = run_ours(world, c);
        for (const optim::ModelState* net : {&shared->models[schedule::gan::generator],
                                             &shared->models[schedule::gan::discriminator]})
            for (const auto& [name, local] : net->arrays()) {
                INFO(name);
                const optim::ModelState& same = net == &shared->models[schedule::gan::generator]
                                                    ? whole->models[schedule::gan::generator]
                                                    : whole->models[schedule::gan::discriminator];
                CHECK(distance(local.view, part_of(same.arrays().at(name).view, local)) < 1e-8);
            }
        CHECK(value_of(shared->values.back(), "d_loss") ==
              Approx(value_of(whole->values.back(), "d_loss")).epsilon(1e-9));
    }
}

TEST_CASE("a loss that is not finite stops every rank before the update") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    auto meshes = meshes_of(world.size());
    meshes.push_back(text("tensor=", world.size()));
    c.layout_options.mesh =
        MeshRequest(meshes.at(GENERATE(range(std::size_t{0}, std::size_t{3})) % meshes.size()));
    Ours ours(world, c);
    const bool bad_here = ours.own.local(MicroBatch{micros - 1}).has_value();
    StepExecutor& run = ours.make_steps(c, [&] {
        auto x = real_tiles(c, 0);
        if (bad_here) x.fill_(std::nan(""));
        return x;
    });
    const auto before = ours.models[schedule::gan::discriminator].weights().flat().clone();
    CHECK_THROWS_WITH(run.run(StepIndex{0}),
                      Catch::Contains("the loss of pass real is nan in step 1, micro-batch") &&
                          Catch::Contains("it came with the real ones"));
    CHECK(ours.models[schedule::gan::discriminator].weights().flat().equal(before));
}

TEST_CASE("a loss that is not finite is named with whatever weights are gathered meanwhile") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    planner::Configuration c = small_run();
    c.layout_options.shard = ShardLevel::parameters;
    c.layout_options.schedule = gathered_at_sum(agreed(world, c).schedule);
    for (const WeightCopies copies : {WeightCopies::node, WeightCopies::rank}) {
        c.layout_options.weight_copies = copies;
        Ours ours(world, c);
        CHECK((ours.models.room() != nullptr) == (copies == WeightCopies::node));
        StepExecutor& run =
            ours.make_steps(c, [&] { return real_tiles(c, 0).fill_(std::nan("")); });
        CHECK_THROWS_WITH(run.run(StepIndex{0}), Catch::Contains("the loss of pass real is nan") &&
                                                     Catch::Contains("came with the real ones"));
    }
}

TEST_CASE("a loss gone bad in a layer names it, wherever its stage is") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.layout_options.mesh = MeshRequest(meshes_of(world.size()).back());
    const auto fill = [](const optim::ModelState& net, const std::string& name, double value) {
        for (std::size_t i = 0; i < net.layout().slots().size(); ++i)
            if (net.layout().slots()[i].parameter.name == name) net.weights().view(i).fill_(value);
    };
    for (const std::string layer : {"conv0", "conv4"}) {
        Ours ours(world, c);
        // Sums that do not cancel: tiles of 1, and 10 for the last layer.
        fill(ours.models[schedule::gan::generator], "deconv4.weight", 1e3);
        fill(ours.models[schedule::gan::discriminator], "norm3.bias", 10);
        fill(ours.models[schedule::gan::discriminator], layer + ".weight", 1e308);
        // A worker of servers has running statistics that nobody brings up to date.
        for (const auto& [name, array] : ours.models[schedule::gan::generator].arrays())
            if (name.find(".running_") != std::string::npos)
                array.view.fill_(name.ends_with("mean") ? -1e308 : 0);
        StepExecutor& run = ours.make_steps(c, [&] { return real_tiles(c, 0); });
        CHECK_THROWS_WITH(run.run(StepIndex{0}), Catch::Contains("micro-batch ") &&
                                                     Catch::Contains("discriminator, layer " +
                                                                     layer + ", gives the first"));
    }
}
