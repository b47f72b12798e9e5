#include "civitas/profiling/kernel_timings.hpp"

#include "support/tensor.hpp"

#include "civitas/net/own_kernel.hpp"
#include "civitas/nn/instructions.hpp"
#include "civitas/profiling/profile.hpp"
#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::profiling;
using planner::LayerTimes;

namespace {

planner::Configuration configuration(const char* kernels) {
    planner::Configuration c;
    planner::NetChoice nets{.net = "dcgan-64", .nz = 8, .generator_widths = {512, 256, 128, 64}};
    nets.kernels = net::parse_kernels(kernels);
    nets.kernels.host.instructions = {.vectors = true};
    c.problem.nets = planner::Nets(nets);
    c.resolved = text("net = dcgan-64\nkernels = ", kernels, "\nbatch = 32\n");
    return c;
}

/// One second of everything.
KernelTimings equal_timings(const planner::Workload& workload) {
    KernelTimings timings;
    for (const auto& net : workload.nets)
        for (auto* all : {&timings.as_described, &timings.by_aten})
            all->nets.emplace_back(net.description.layers.size(), LayerTimes{1, 1, 1});
    return timings;
}

std::size_t number_of(const net::NetDescription& net, const std::string& name) {
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        if (net.layers[i].name == name) return i;
    FAIL("no layer " << name);
    return 0;
}

}  // namespace

TEST_CASE("what ATen computes clearly faster is left to it, a norm as a whole") {
    const auto workload = workload_of(configuration("auto"));
    const auto& g = workload.nets[0].description;
    KernelTimings timings = equal_timings(workload);
    CHECK(choose_kernels(workload, timings) == net::KernelChoice(net::KernelSet::fast));
    auto& aten = timings.by_aten.nets[0];
    aten[number_of(g, "deconv1")] = {0.5, 0.95, 0.6};
    aten[number_of(g, "norm0")] = {0.1, 1.2, 1};
    aten[number_of(g, "norm1")] = {0.1, 1.5, 1.5};
    // Nobody would feel it.
    timings.as_described.nets[0][number_of(g, "deconv2")] = {0.1, 0.1, 0.1};
    aten[number_of(g, "deconv2")] = {0.05, 0.05, 0.05};
    // What has no kernel is not chosen: B of thin layers and of tanh, which has no W either.
    aten[number_of(g, "deconv4")] = {2, 0.1, 2};
    aten[number_of(g, "tanh4")] = {0.1, 0.1, 0};
    timings.by_aten.nets[1][1] = {};  // a leaky ReLU
    CHECK(to_string(choose_kernels(workload, timings)) ==
          "fast,-generator.deconv1:FW,-generator.norm0,-generator.tanh4:F");
}

TEST_CASE("a choice makes the nets, the times and the text of a run") {
    const auto asked = configuration("auto");
    const auto workload = workload_of(asked);
    const auto& g = workload.nets[0].description;
    KernelTimings timings = equal_timings(workload);
    for (auto& layers : timings.by_aten.nets)
        for (LayerTimes& t : layers) t = {7, 8, 9};
    const auto choice = net::KernelChoice::parse("fast,-generator.deconv1:W,-generator.norm2");
    const auto chosen = with_choice(asked, choice);
    CHECK(chosen.resolved ==
          "net = dcgan-64\nkernels = fast,-generator.deconv1:W,-generator.norm2\nbatch = 32\n");
    CHECK(!chosen.problem.kernels().automatic);
    CHECK(chosen.problem.nets[schedule::gan::generator].layers.size() == g.layers.size() + 1);
    const auto made = with_choice(workload, timings, chosen);
    for (std::size_t n = 0; n < 2; ++n)
        REQUIRE(made.timings.nets[n].size() == made.workload.nets[n].description.layers.size());
    const auto times = [&](const char* name) {
        const LayerTimes t =
            made.timings.nets[0].at(number_of(made.workload.nets[0].description, name));
        return std::array{t.forward_s, t.backward_input_s, t.backward_weights_s};
    };
    CHECK(times("deconv1") == std::array{1.0, 1.0, 9.0});
    CHECK(times("deconv4") == std::array{1.0, 8.0, 1.0});
    CHECK(times("norm1") == std::array{1.0, 1.0, 1.0});
    CHECK(times("norm2") == std::array{7.0, 8.0, 9.0});
    CHECK(times("relu2") == std::array{0.0, 0.0, 0.0});
    CHECK(times("deconv3") == std::array{1.0, 1.0, 1.0});
}

TEST_CASE("all ranks take the root's choice, or that of the checkpoint they go on from") {
    const auto world = comm::Communicator::world();
    Log log(world.rank());
    auto asked = configuration("auto");
    Profile profile;
    profile.timings = equal_timings(workload_of(asked));
    // No two ranks measure the same.
    profile.timings.by_aten.nets[0].at(world.is_root() ? 0 : 2) = {1, 1, 0.5};
    const auto decided = [&](const std::optional<std::string>& of_checkpoint) {
        const auto c = decide_kernels(world, asked, profile, of_checkpoint, log);
        return to_string(c.problem.kernels().choice);
    };
    CHECK(decided({}) == "fast,-generator.deconv0:W");
    CHECK(decided("fast,-adam") == "fast,-adam");
    CHECK(decided("aten") == "aten");
    CHECK_THROWS_WITH(decided("faster\x1b"),
                      "the checkpoint was made with kernels = faster?, which this program does not "
                      "know. Hint: --allow-change kernels.");
    asked.run_options.allow_change = {"kernels"};
    CHECK(decided("aten") == "fast,-generator.deconv0:W");
    asked = configuration("fast");
    CHECK(decided("aten") == "fast");
}

TEST_CASE("where kernels are chosen all layers are timed by ours and by ATen") {
    planner::Configuration c;
    planner::NetChoice nets{.net = "dcgan-64",
                            .nz = 8,
                            .generator_widths = {8, 8, 8, 8},
                            .discriminator_widths = {8, 8, 8, 8}};
    const auto choose = [&](const char* kernels) {
        nets.kernels = net::parse_kernels(kernels);
        nets.kernels.host.instructions = nn::instructions_here();
        c.problem.nets = planner::Nets(nets);
    };
    choose("auto");
    c.problem.batch = c.problem.micro_batch = 2;
    const auto timings = measured_timings(workload_of(c), at::kCPU);
    for (const auto* all : {&timings.as_described, &timings.by_aten}) {
        REQUIRE(all->nets.size() == 2);
        CHECK(all->nets[0].size() == c.problem.nets[schedule::gan::generator].layers.size());
        for (const auto& layers : all->nets)
            for (const LayerTimes& t : layers) CHECK((t.forward_s > 0 && t.sum() < 10));
    }
    choose("fast");
    CHECK(measured_timings(workload_of(c), at::kCPU).by_aten.nets.empty());
}

TEST_CASE("layers of a micro-batch of which only some images are timed have the times of all") {
    planner::Configuration c;
    const std::vector<std::int64_t> widths{8, 8, 8, 8};
    c.problem.nets = planner::Nets(
        {.net = "dcgan-64", .nz = 8, .generator_widths = widths, .discriminator_widths = widths});
    const auto seconds_of = [&](std::int64_t micro_batch) {
        c.problem.batch = c.problem.micro_batch = micro_batch;
        double sum = 0;
        const auto timings = measured_timings(workload_of(c), at::kCPU).as_described;
        CHECK(timings.nets.at(0).size() == c.problem.nets[schedule::gan::generator].layers.size());
        for (const auto& layers : timings.nets)
            for (const LayerTimes& t : layers) sum += t.sum();
        return sum;
    };
    CHECK(seconds_of(1 << 22) > 4 * seconds_of(1 << 14));  // 256 times as many images
}

TEST_CASE("a rank that normalises pixels with others has times though it has one image") {
    for (const char* kernels : {"fast", "auto"}) {
        planner::Workload workload = workload_of(configuration(kernels));
        workload.micro_batch = 1;
        workload.nets.resize(1);
        workload.nets[0].description = {"normed", {4, 1, 1}, {{"norm", net::BatchNorm{4}}}};
        const auto timings = measured_timings(workload, at::kCPU).as_described;
        CHECK(timings.nets.at(0).at(0).forward_s > 0);
    }
}
