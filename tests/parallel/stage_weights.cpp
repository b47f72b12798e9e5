#include "divided_gan.hpp"

// Steps of ranks that each keep a part of the weights, against those of one that has all.

using namespace civitas;
using namespace civitas::test;

TEST_CASE("the room of slots has a number's bytes for each element, padding included") {
    const auto net = test::tiny_generator();
    const net::ArenaLayout layout(net::parameters_of(net));
    const auto room = net::compute_room(layout, {0, 4}, {2, 4});
    // 4 x 6 x 16 elements, twice 6 with padding, 6 x 3 x 16 with padding.
    CHECK((room.bytes == std::vector<Range>{{0, 768}, {768, 256}, {1024, 256}, {1280, 640}}));
    CHECK(room.size == 1920);
    CHECK((net::compute_room(layout, {1, 2}, {2, 8}).bytes ==
           std::vector<Range>{{0, 512}, {512, 512}}));
    CHECK(net::compute_room(layout, {2, 0}, {2, 4}).size == 0);
}

TEST_CASE("steps with gathered weights have the bits of one rank that has them whole") {
    const auto world = Communicator::world();
    const comm::MpiCollectives data(world);
    for (const Options& options :
         {Options{},
          Options{.precision = net::Precision::fp64, .table = "zero-bubble", .recompute = true},
          Options{.precision = net::Precision::bf16, .table = "zero-bubble", .ema = 0}}) {
        TinyRun whole(options, {});
        TinyRun part(options, {&data});
        REQUIRE_ALL(world, same(part, whole));
        for (int step = 0; step < 3; ++step) {
            whole.step();
            part.step();
            REQUIRE_ALL(world, same(part, whole));
        }
        CHECK(part.executor.peak_gathered_bytes() == planned_bytes(part, options));
        CHECK(whole.executor.peak_gathered_bytes() == 0);
        std::int64_t kept = 0;
        for (const auto& [name, array] : part.discriminator.arrays())
            if (name.find("/parameters/") != std::string::npos && array.split_over_data)
                kept += array.view.numel();
        CHECK(world.sum(kept) == net::parameter_count(test::tiny_discriminator()));
        for (const NetId which : {schedule::gan::generator, schedule::gan::discriminator}) {
            CHECK(is_released(part.net(which)));
            CHECK(part.net(which).bytes() < whole.net(which).bytes());
            const bool draws = which == schedule::gan::generator;
            const std::int64_t side = draws ? 1 : 8;
            const at::Tensor x =
                at::ones({2, draws ? 4 : 3, side, side}, nn::master_type(options.precision));
            const auto low = x.to(nn::compute_type(options.precision));
            const auto drawn =
                part.net(which).drawing_stage(first_stage, part.net(which).buffers());
            const auto wanted = whole.net(which).drawing_stages(whole.net(which).buffers());
            const auto layers = part.net(which).layers_of(first_stage);
            REQUIRE_ALL(world, drawn.evaluate(x).equal(wanted.at(first_stage).evaluate(x)));
            REQUIRE_ALL(world, layers.front()->evaluate(low).equal(
                                   whole.net(which).layers_of(first_stage).front()->evaluate(low)));
            CHECK(is_released(part.net(which)));
        }
    }
}

TEST_CASE("what is not gathered cannot be read, and what is wrong is told") {
    const auto world = Communicator::world();
    const comm::MpiCollectives data(world);
    TinyRun run({}, {&data});
    optim::StageWeights& weights = *run.generator.parts().weights;
    const at::Tensor view = weights.views().front();
    const void* const identity = view.unsafeGetTensorImpl();
    CHECK_THROWS_WITH(view.sum(), Catch::Contains("while they are not gathered"));
    CHECK_THROWS_WITH(weights.wait(first_stage), Catch::Contains("gathered before it is used"));
    CHECK_THROWS_WITH(run.generator.weights(), Catch::Contains("whole on every rank"));
    weights.gather(first_stage);
    CHECK_THROWS_WITH(weights.gather(first_stage), Catch::Contains("gathered once"));
    CHECK_THROWS_WITH(view.sum(), Catch::Contains("while they are not gathered"));
    CHECK_THROWS_WITH(run.generator.update(), Catch::Contains("does not outlive"));
    weights.wait(first_stage);
    CHECK(std::abs(view.sum().item<double>()) > 0);
    CHECK(weights.views().front().unsafeGetTensorImpl() == identity);
    // Somebody looks at it while it is gathered.
    CHECK(run.generator.layers_of(first_stage).size() == 3);
    CHECK(std::abs(view.sum().item<double>()) > 0);
    weights.release(first_stage);
    CHECK_THROWS_WITH(view.sum(), Catch::Contains("while they are not gathered"));
}

TEST_CASE("a step that one rank fails in leaves nothing gathered, and can be made again") {
    const auto world = Communicator::world();
    comm::Revocation revocation(world);
    const comm::MpiCollectives data(world, &revocation);
    TinyRun whole({}, {});
    TinyRun part({}, {&data});
    for (const schedule::PassId pass : {schedule::gan::generate, schedule::gan::fake})
        fail_in(part, pass, revocation, data);
    whole.step();
    part.step();
    REQUIRE_ALL(world, same(part, whole));
}

TEST_CASE("a weight that is not finite is known to all ranks, whoever keeps it") {
    const auto world = Communicator::world();
    const comm::MpiCollectives data(world);
    TinyRun run({}, {&data});
    CHECK_FALSE(run.discriminator.first_non_finite());
    for (const auto& [name, array] : run.discriminator.arrays())
        if (name == "/discriminator/parameters/conv1.weight") array.view.fill_(1e38).mul_(1e10);
    REQUIRE_ALL(world, run.discriminator.first_non_finite() == "conv1.weight");
}
