#include "support/tensor.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/node_map.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/profiling/measure.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/profiling/rates.hpp"
#include "civitas/profiling/resources_here.hpp"
#include "support/agree.hpp"
#include "support/shared_folder.hpp"

#include <sys/resource.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

using namespace civitas;
using namespace civitas::test;
using namespace civitas::profiling;
using planner::LayerTimes;

namespace {

planner::Configuration configuration() {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64",
                                    .nz = 8,
                                    .generator_widths = {8, 8, 8, 8},
                                    .discriminator_widths = {8, 8, 8, 8}});
    c.problem.batch = 8;
    c.problem.micro_batch = 2;
    c.layout_options.threads = 1;
    return c;
}

environment::Process one_thread(const comm::Communicator& world, Log& log) {
    environment::Process process;
    process.stage_devices = {DeviceKind::cpu};
    process.threads = environment::set_threads(world, 1, log);
    process.instruction_set = environment::agreed_instruction_set(world);
    return process;
}

planner::CostModel estimate_of(const comm::Communicator& world, const planner::Configuration& c) {
    const NodeMap nodes = comm::node_map(world);
    return {planner::workload_of(c.problem, c.hyperparameters), resources_here(world, nodes),
            nodes};
}

bool equal(const std::vector<LayerTimes>& a, const std::vector<LayerTimes>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](LayerTimes x, LayerTimes y) {
        return x.forward_s == y.forward_s && x.backward_input_s == y.backward_input_s &&
               x.backward_weights_s == y.backward_weights_s;
    });
}

}  // namespace

TEST_CASE("a profile reads back to the same bits, and what is none reads back to nothing") {
    Profile profile{.of = "a net, \"quoted\"",
                    .timings = {{{{{0.1, 1.0 / 3, 0}, {2e-6, 0, 7}}, {{1e-9, 5, 0.3}}}}},
                    .memory_rate = 1.1e10,
                    .link_rate = 5e9 / 7,
                    .link_latency = 1e-7 / 3};
    const auto again = parse_profile(to_json(profile));
    REQUIRE(again);
    CHECK(again->of == profile.of);
    CHECK(equal(again->timings.as_described.nets[0], profile.timings.as_described.nets[0]));
    CHECK(equal(again->timings.as_described.nets[1], profile.timings.as_described.nets[1]));
    CHECK(again->memory_rate == profile.memory_rate);
    CHECK(again->link_rate == profile.link_rate);
    CHECK(again->link_latency == profile.link_latency);
    CHECK(again->timings.by_aten.nets.empty());
    profile.timings.by_aten = {{{{0.3, 2.0 / 3, 0}}}};
    const auto both = parse_profile(to_json(profile));
    REQUIRE(both);
    CHECK(equal(both->timings.by_aten.nets[0], profile.timings.by_aten.nets[0]));
    std::string whole = to_json(profile);
    CHECK_FALSE(parse_profile(""));
    whole.resize(whole.size() / 2);
    CHECK_FALSE(parse_profile(whole));
    CHECK_FALSE(parse_profile("[1, 2]"));
    CHECK_FALSE(parse_profile(R"({"of": 3})"));
    profile.link_rate = 0;
    CHECK_FALSE(parse_profile(to_json(profile)));
    profile.link_rate = 1;
    CHECK(parse_profile(to_json(profile)));
    profile.timings.as_described.nets[0][0].forward_s = -1;
    CHECK_FALSE(parse_profile(to_json(profile)));
}

TEST_CASE("every layer is timed, W only where there are weights, for all types") {
    for (const char* precision : {"fp32", "bf16", "fp64"}) {
        planner::Configuration c = configuration();
        c.problem.precision = net::parse_precision(precision);
        // Outputs beyond 64 MB: not all layers are timed together.
        if (c.problem.precision == net::Precision::fp64) c.problem.micro_batch = 256;
        const auto nets = c.problem.nets;
        const planner::LayerTimings timings =
            measured_timings(planner::workload_of(c.problem, c.hyperparameters), at::kCPU)
                .as_described;
        for (const auto& [net, times] :
             {std::pair{&nets[schedule::gan::generator], &timings.nets[0]},
              std::pair{&nets[schedule::gan::discriminator], &timings.nets[1]}}) {
            REQUIRE(times->size() == net->layers.size());
            for (std::size_t i = 0; i < times->size(); ++i) {
                const LayerTimes& t = (*times)[i];
                CHECK((t.forward_s > 0 && t.backward_input_s > 0 && t.sum() < 10));
                CHECK((t.backward_weights_s > 0) == !net::parameters_of(net->layers[i]).empty());
            }
        }
    }
    CHECK(measured_memory_rate(at::kCPU) > 1e6);
}

TEST_CASE("a profile is kept, taken again, and measured anew when something changed or broke") {
    const auto world = comm::Communicator::world();
    const SharedFolder shared(world, "profile");
    planner::Configuration c = configuration();
    Log log(world.rank());
    const std::filesystem::path file = shared.path() / "profile.json";
    const environment::Process process = one_thread(world, log);
    const auto profile = [&] {
        const Profile found = profile_for(world, file, {c, estimate_of(world, c)}, process, log);
        keep_profile(world, file, found);
        return found;
    };

    const Profile first = profile();
    CHECK(first.memory_rate > 0);
    CHECK(first.link_rate > 0);
    for (const auto& other : world.all_gather(to_json(first))) CHECK(other == to_json(first));
    CHECK(equal(profile().timings.as_described.nets[0], first.timings.as_described.nets[0]));

    c.problem.micro_batch = 4;
    const Profile other = profile();
    CHECK(other.of != first.of);
    CHECK_FALSE(equal(other.timings.as_described.nets[0], first.timings.as_described.nets[0]));
    CHECK(parse_profile(test::content(file))->of == other.of);

    Profile shorter = other;
    shorter.timings.as_described.nets[1].pop_back();
    keep_profile(world, file, shorter);
    CHECK(profile().timings.as_described.nets[1].size() ==
          other.timings.as_described.nets[1].size());

    world.barrier();
    if (world.is_root()) std::ofstream(file) << "{\"of\": ";
    world.barrier();
    CHECK(profile().of == other.of);
    CHECK(parse_profile(test::content(file)));
}

TEST_CASE("ranks that compute nothing take the times of those that do, and the profile says so") {
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    const SharedFolder shared(world, "servers");
    const std::filesystem::path file = shared.path() / "profile.json";
    const planner::Configuration c = configuration();
    Log log(world.rank());
    const environment::Process process = one_thread(world, log);
    const auto estimate = estimate_of(world, c);
    const Profile apart =
        profile_for(world, file, {c, estimate, {}, {.computes = !world.is_root()}}, process, log);
    keep_profile(world, file, apart);
    for (const auto& net : apart.timings.as_described.nets)
        for (const LayerTimes& times : net) CHECK(times.sum() > 0);
    CHECK((apart.memory_rate > 0 && std::isfinite(apart.memory_rate)));
    for (const auto& other : world.all_gather(to_json(apart))) CHECK(other == to_json(apart));
    CHECK_THAT(apart.of, Catch::Contains(text(world.size() - 1, " of ", world.size(), " ranks")));
    const Profile together = profile_for(world, file, {c, estimate}, process, log);
    CHECK(together.of != apart.of);
}

TEST_CASE("of ranks in step the slowest counts, of free ones the mean") {
    const auto world = comm::Communicator::world();
    planner::Configuration c = configuration();
    const auto workload = planner::workload_of(c.problem, c.hyperparameters);
    constexpr double delay_s = 0.1;
    const auto wait = [&](const at::Tensor&) {
        if (world.is_root()) std::this_thread::sleep_for(std::chrono::duration<double>(delay_s));
    };
    const auto first_s = [&](bool in_step) {
        const TimedWork work{workload, InputWork{wait}, {.in_step = in_step}};
        return timed_at_once(world, work, at::kCPU).timings.as_described.nets[0][0].forward_s;
    };
    CHECK(first_s(true) >= delay_s);
    CHECK(first_s(false) >= delay_s / world.size());
    if (world.size() > 1) CHECK(first_s(false) < 0.9 * delay_s);
}

TEST_CASE("a rank that cannot time its layers is told of on all, those that compute none too") {
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    const planner::Configuration c = configuration();
    const auto workload = planner::workload_of(c.problem, c.hyperparameters);
    const InputWork breaks(2, [](const at::Tensor&) { throw Error("no input"); });
    CHECK_THROWS_WITH(timed_at_once(world, {workload, breaks, {!world.is_root()}}, at::kCPU),
                      Catch::Contains("no input"));
}

TEST_CASE("where a layer alone is more than a rank has memory for, times are estimated") {
    const auto world = comm::Communicator::world();
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
    if (before.rlim_cur != RLIM_INFINITY) return;
    const SharedFolder shared(world, "estimated");
    const std::filesystem::path file = shared.path() / "profile.json";
    planner::Configuration c = configuration();
    Log log(world.rank());
    const environment::Process process = one_thread(world, log);
    const Profile timed = profile_for(world, file, {c, estimate_of(world, c)}, process, log);
    c.problem.micro_batch = 4096;
    double pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    constexpr double page = 4096, more = 300e6;
    const rlimit low{static_cast<rlim_t>(pages * page + more), before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_AS, &low) == 0);
    const planner::CostModel estimate = estimate_of(world, c);
    const Profile profile = profile_for(world, file, {c, estimate}, process, log);
    REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(profile.of.ends_with(", estimated"));
    CHECK(equal(profile.timings.as_described.nets[0], estimate.timings().nets[0]));
    CHECK((profile.memory_rate > 0 && profile.link_rate > 0));
    CHECK_FALSE(timed.of.ends_with(", estimated"));
}

TEST_CASE("a profile that cannot be kept is an error on all ranks") {
    const auto world = comm::Communicator::world();
    const SharedFolder shared(world, "profile");
    const planner::Configuration c = configuration();
    Log log(world.rank());
    const environment::Process process = one_thread(world, log);
    const std::filesystem::path nowhere = shared.path() / "missing" / "profile.json";
    const Profile profile = profile_for(world, nowhere, {c, estimate_of(world, c)}, process, log);
    CHECK_THROWS_AS(keep_profile(world, nowhere, profile), AgreedError);
}

TEST_CASE("the machine's memory and cores are shared by the ranks of a node") {
    const auto world = comm::Communicator::world();
    const planner::MachineModel here = resources_here(world, comm::node_map(world));
    CHECK(here.nodes == 1);
    CHECK(here.cores >= 1);
    CHECK(here.memory > 1e8);
    Profile profile;
    profile.memory_rate = 7e9;
    profile.link_rate = 3e9;
    const planner::MachineModel rated =
        by_profile(estimate_of(world, configuration()), profile, configuration()).machine();
    CHECK(planner::rates_of(rated, world.size(), net::Precision::fp32).bytes == Approx(7e9));
    CHECK(rated.link_bandwidth == 3e9);

    const planner::MachineModel parted = resources_here(world, comm::node_map(world, 1));
    CHECK(parted.nodes == world.size());
    CHECK(parted.memory == Approx(here.memory / world.size()).epsilon(0.05));
    CHECK(parted.cores == std::max(1, here.cores / world.size()));
    const planner::MachineModel third = resources_here(world, comm::node_map(world), 1.0 / 3);
    CHECK(third.memory == Approx(here.memory / 3).epsilon(0.05));
    CHECK(third.cores == std::max(1, here.cores / 3));
}
