#include "gan_reference.hpp"
#include "support/agree.hpp"

// Three whole steps in fp64 against the same steps written with torch::nn, autograd and
// torch::optim.

using namespace civitas;
using namespace civitas::train;
using namespace civitas::train::runs;

namespace {

double distance(const torch::Tensor& a, const torch::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

void check_weights(const Net& ours, const torch::nn::Sequential& theirs) {
    const auto parameters = theirs->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        INFO(ours.layout().slots()[i].parameter.name);
        CHECK(distance(ours.weights().view(i), parameters[i].detach()) < 1e-10);
    }
    std::vector<torch::Tensor> running;
    for (const auto& buffer : theirs->named_buffers())
        if (buffer.key().find("num_batches") == std::string::npos)
            running.push_back(buffer.value());
    REQUIRE(running.size() == ours.buffers().tensors().size());
    for (std::size_t i = 0; i < running.size(); ++i) {
        INFO(ours.buffers().specs()[i].name);
        CHECK(distance(ours.buffers().tensors()[i], running[i]) < 1e-10);
    }
}

}  // namespace

TEST_CASE("three whole steps equal torch::nn, autograd and torch::optim") {
    const auto world = comm::Communicator::world();
    const Configuration c = small_run();
    const auto reference = run_reference(c);
    const torch::NoGradGuard quiet;
    const auto ours = run_ours(world, c);
    check_weights(ours->generator, reference.generator);
    check_weights(ours->discriminator, reference.discriminator);
    const auto arrays = ours->generator.arrays();
    for (std::size_t i = 0; i < reference.mean.size(); ++i) {
        const auto& name = ours->generator.layout().slots()[i].parameter.name;
        CHECK(distance(arrays.at("/generator/ema/" + name).view, reference.mean[i]) < 1e-10);
    }
    for (std::size_t s = 0; s < steps; ++s) {
        CHECK(ours->figures[s].d_loss == Approx(reference.d_losses[s]).epsilon(1e-10));
        CHECK(ours->figures[s].g_loss == Approx(reference.g_losses[s]).epsilon(1e-10));
    }
}

TEST_CASE("the layout and redrawing change no bit") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const auto alone = comm::Communicator::alone();
    Configuration c = small_run();
    c.task.precision = GENERATE(as<std::string>{}, "fp64");
    const auto whole = run_ours(alone, c);
    c.layout.redraw = true;
    const auto shared = run_ours(world, c);
    for (const auto& [name, values] : whole->generator.arrays())
        CHECK(shared->generator.arrays().at(name).view.equal(values.view));
    for (const auto& [name, values] : whole->discriminator.arrays())
        CHECK(shared->discriminator.arrays().at(name).view.equal(values.view));
    CHECK(whole->figures.back().d_loss == shared->figures.back().d_loss);
}

TEST_CASE("batch norm over the data axis equals one large micro-batch") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const auto alone = comm::Communicator::alone();
    Configuration c = small_run();
    c.task.micro_batch = c.task.batch;
    const auto whole = run_ours(alone, c);
    c.task.micro_batch = c.task.batch / world.size();
    c.task.sync_batch_norm = true;
    const auto shared = run_ours(world, c);
    for (const auto& [name, values] : whole->generator.arrays()) {
        INFO(name);
        CHECK(distance(shared->generator.arrays().at(name).view, values.view) < 1e-8);
    }
    CHECK(shared->figures.back().d_loss == Approx(whole->figures.back().d_loss).epsilon(1e-9));
}

TEST_CASE("a loss that is not finite stops every rank before the update") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    Configuration c = small_run();
    c.layout.mesh = text(GENERATE(as<std::string>{}, "data", "tensor"), '=', world.size());
    Ours ours(world, c);
    const bool bad_here = ours.own.end() == micros;
    TrainingStep step(ours.mesh, ours.setting,
                      {c.task, c.recipe, parallel::Reduction::tree, ours.own}, ours.generator,
                      ours.discriminator, [&] {
                          auto x = real_tiles(c, 0);
                          if (bad_here) x.fill_(std::nan(""));
                          return x;
                      });
    parallel::Executor executor(ours.generator.parts(), ours.discriminator.parts(), step,
                                ours.pipeline(c));
    const auto before = ours.discriminator.weights().flat().clone();
    step.begin(StepIndex{0});
    CHECK_THROWS_WITH(executor.run(ours.table()),
                      Catch::Contains("the loss of pass real is nan in step 1, micro-batch") &&
                          Catch::Contains("it came with the real ones"));
    CHECK(ours.discriminator.weights().flat().equal(before));
}
