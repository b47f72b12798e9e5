#include "civitas/async/shared_net.hpp"
#include "civitas/planner/step_plan.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/steps/held_bytes.hpp"
#include "support/agree.hpp"
#include "tasks/gan_runs.hpp"

// What the formulas say a rank keeps against what the executor of a real step counts.

using namespace civitas;
using namespace civitas::steps;
using namespace civitas::train;
using namespace civitas::tasks::runs;

namespace {

constexpr std::array schedules{"naive", "gpipe", "1f1b", "interleaved:2", "zero-bubble", "gan"};

std::vector<std::string> meshes(int ranks) {
    if (ranks == 1) return {"data=1"};
    if (ranks == 2) return {"pipe=2", "tensor=2"};
    return {"pipe=4", "tensor=4", "pipe=2,tensor=2"};
}

void check_peaks(const comm::Communicator& world, const planner::Configuration& c) {
    const auto ours = run_ours(world, c, 1);
    const auto workload = planner::workload_of(c.problem, c.hyperparameters);
    const auto plan = planner::plan_of({workload, {}, world.size()}, ours->layout);
    const auto here = static_cast<std::size_t>(ours->mesh.coordinate().pipe());
    const auto planned = plan.memory.at(here).activations;
    const auto gathered = gathered_in(plan, ours->mesh.coordinate().pipe());
    INFO(c.layout_options.mesh.words()
         << ' ' << planner::name_of(c.layout_options.schedule) << ' '
         << to_string(c.layout_options.placement) << (c.layout_options.redraw ? " redraw" : "")
         << (c.layout_options.recompute ? " recompute" : "") << ' '
         << to_string(c.problem.precision));
    CHECK(ours->steps->replicas().peak_bytes() == planned);
    CHECK(ours->steps->replicas().peak_gathered_bytes() == gathered);
    CHECK(ours->steps->replicas().peak_message_bytes() == plan.memory.at(here).messages);
    CHECK((gathered > 0) == shards_weights(c.layout_options.shard));
    REQUIRE_ALL(world, ours->steps->replicas().peak_bytes() == planned);
}

/// Every table of a mesh; of the same table under several names one.
void check_tables(const comm::Communicator& world, planner::Configuration c) {
    const auto mesh = c.layout_options.mesh.of_ranks(world.size());
    for (const char* schedule : schedules)
        for (const char* placement : {"same", "reversed"})
            for (int bits = 0; bits < 4; ++bits) {
                c.layout_options.schedule = planner::schedule_named(schedule);
                c.layout_options.placement = planner::parse_stage_order(placement);
                c.layout_options.redraw = (bits & 1) != 0;
                c.layout_options.recompute = (bits & 2) != 0;
                const std::string name = schedule;
                const bool one_stage = mesh[Axis::pipe] == 1 && name != "interleaved:2";
                if (one_stage && name + placement != "1f1bsame") continue;
                check_peaks(world, c);
            }
}

/// Of the weights that are gathered at most what counts as one rank's.
std::int64_t gathered_bytes(const Ours& ours, const planner::StepPlan& plan) {
    if (ours.models.room())
        return planner::share_of_node(ours.models.room()->bytes(), ours.layout.ranks_of_node);
    return gathered_in(plan, PipeCoordinate{0});
}

/// F, then B, of stages of a real part of a net against the formulas.
void check_stages(const comm::Communicator& world, const planner::Configuration& c,
                  schedule::NetId which) {
    const Ours ours(world, c);
    const optim::ModelState& net = ours.models[which];
    const auto values = planner::value_bytes(c.problem.precision);
    const auto& whole = net.local_stages().front().description;
    const auto count = static_cast<std::int64_t>(whole.layers.size());
    const auto random = [&](net::ImageShape s) {
        return torch::randn({micro, s.channels, s.height, s.width},
                            nn::compute_type(c.problem.precision))
            .contiguous(at::MemoryFormat::ChannelsLast);
    };
    for (const std::int64_t length : {1, 3, 5})
        for (std::int64_t begin = 0; begin + length <= count; begin += length) {
            const auto part = net::part_of(whole, {begin, length});
            auto layers = net.layers_of(first_stage);
            const auto first = layers.begin() + begin;
            const nn::Stage stage(std::vector<std::unique_ptr<nn::Layer>>(
                std::make_move_iterator(first), std::make_move_iterator(first + length)));
            INFO(part.layers.front().name << " and " << length - 1 << " more, "
                                          << c.layout_options.mesh.words());
            nn::Stage::Context kept;
            auto y = stage.forward(random(part.input), kept);
            REQUIRE_ALL(world, kept.bytes() == planner::saved_bytes(part, micro, values));
            y = torch::randn_like(y);
            (void)stage.backward_input(y, kept, true, true);
            REQUIRE_ALL(world, kept.bytes() == planner::bytes_from_B_to_W(part, micro, values));
        }
}

}  // namespace

TEST_CASE("what F and B of stages of a cut net keep is by formula what they keep") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.layout_options.mesh = MeshRequest(text("tensor=", world.size()));
    for (const char* precision : {"fp32", "bf16"})
        for (const std::int64_t odd : {0, 2}) {
            c.problem.precision = net::parse_precision(precision);
            c.problem.nets = small_nets({8, 8 + odd, 8 - odd, 4}, {4, 8 - odd, 8, 8 + odd});
            check_stages(world, c, schedule::gan::generator);
            check_stages(world, c, schedule::gan::discriminator);
        }
}

TEST_CASE("weights, moments and sums by formula are those of a rank's part") {
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.layout_options.mesh = MeshRequest(text("tensor=", world.size()));
    for (const char* precision : {"fp32", "bf16"}) {
        c.problem.precision = net::parse_precision(precision);
        const Ours ours(world, c);
        const planner::CostModel model(planner::workload_of(c.problem, c.hyperparameters), {},
                                       world.size());
        const planner::StepPlan plan = planner::plan_of(model, ours.layout);
        CHECK(plan.memory.at(0).nets.sum() == ours.models.bytes());
    }
}

TEST_CASE("what ranks keep of a net they have shares of is by formula what the largest keeps") {
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    planner::Configuration c = small_run();
    c.layout_options.mesh = MeshRequest(text("data=", world.size()));
    for (const ShardLevel shard :
         {ShardLevel::optimizer, ShardLevel::gradients, ShardLevel::parameters})
        for (const auto& [precision, together] :
             {std::pair("fp32", true), std::pair("bf16", true), std::pair("bf16", false)}) {
            c.layout_options.shard = shard;
            c.layout_options.weight_copies = together ? WeightCopies::node : WeightCopies::rank;
            c.problem.precision = net::parse_precision(precision);
            const Ours ours(world, c);
            const planner::CostModel model(planner::workload_of(c.problem, c.hyperparameters), {},
                                           world.size());
            const auto bytes_of = [&](const optim::ModelState& net) {
                return world.max(net.bytes());
            };
            const planner::StepPlan plan = planner::plan_of(model, ours.layout);
            const planner::NetMemory& nets = plan.memory.at(0).nets;
            const std::int64_t gathered = gathered_bytes(ours, plan);
            CHECK((ours.models.room() != nullptr) == (shards_weights(shard) && together));
            CHECK(nets.sum() - gathered == bytes_of(ours.models[schedule::gan::generator]) +
                                               bytes_of(ours.models[schedule::gan::discriminator]));
            const auto of_both = [&](auto part) {
                return world.max(held_by(ours.models[schedule::gan::generator]).*part) +
                       world.max(held_by(ours.models[schedule::gan::discriminator]).*part);
            };
            CHECK(nets.parameters - gathered == of_both(&report::HeldBytes::parameters));
            CHECK(nets.gradients == of_both(&report::HeldBytes::gradients));
            CHECK(nets.moments == of_both(&report::HeldBytes::moments));
            CHECK(nets.mean == of_both(&report::HeldBytes::mean));
        }
}

TEST_CASE("what a rank keeps of a model that ranks update each by itself is by formula so much") {
    const auto world = comm::Communicator::world();
    const auto self = comm::Communicator::self();
    const auto memory = memory::shared_memory(world, at::kCPU);
    for (const AsyncMoments moments : {AsyncMoments::shared, AsyncMoments::own})
        for (const char* precision : {"fp32", "bf16", "fp64"}) {
            planner::Configuration c = small_run();
            c.problem.precision = net::parse_precision(precision);
            c.update = {.kind = UpdateKind::async, .moments = moments, .ranks = world.size()};
            const planner::ExecutionLayout layout = agreed(self, c);
            const environment::Process process = agreed_process(self, c, layout.mesh);
            const comm::Mesh mesh(self, layout.mesh, comm::choose_backend(self, at::kCPU));
            async::SharedNet generator(*memory, moments), discriminator(*memory, moments);
            const tasks::Models models(c, layout, process, mesh,
                                       {.shared = {&generator, &discriminator}});
            const planner::CostModel model(planner::workload_of(c), {}, 1);
            const planner::NetMemory nets = planner::plan_of(model, layout).memory.at(0).nets;
            report::HeldBytes held = held_by(models[schedule::gan::generator]);
            held += held_by(models[schedule::gan::discriminator]);
            INFO(precision << (moments == AsyncMoments::own ? ", moments of its own" : ""));
            CHECK(nets.parameters == held.parameters);
            CHECK(nets.gradients == held.gradients);
            CHECK(nets.moments == held.moments);
            CHECK(nets.mean == held.mean);
            CHECK(nets.sum() == models.bytes());
        }
}

TEST_CASE("what is offloaded is by formula what lies on the disk, and not in memory") {
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.layout_options.mesh = MeshRequest(text("data=", world.size()));
    c.layout_options.offload = Offload::disk;
    c.layout_options.offload_folder = std::filesystem::temp_directory_path();
    for (const ShardLevel shard : {ShardLevel::none, ShardLevel::gradients, ShardLevel::parameters})
        for (const char* precision : {"fp32", "bf16", "fp64"}) {
            c.layout_options.shard = shard;
            c.problem.precision = net::parse_precision(precision);
            const Ours ours(world, c);
            const planner::CostModel model(planner::workload_of(c.problem, c.hyperparameters), {},
                                           world.size());
            const planner::StepPlan plan = planner::plan_of(model, ours.layout);
            const planner::RankMemory& memory = plan.memory.at(0);
            const auto& generator = ours.models[schedule::gan::generator];
            const auto& discriminator = ours.models[schedule::gan::discriminator];
            CHECK(memory.nets.offloaded == world.max(generator.offloaded_bytes()) +
                                               world.max(discriminator.offloaded_bytes()));
            CHECK(memory.nets.sum() - gathered_bytes(ours, plan) ==
                  world.max(generator.bytes()) + world.max(discriminator.bytes()));
            CHECK(memory.nets.moments == 0);
            CHECK(planner::in_words(memory).find("; on a disk ") != std::string::npos);
            CHECK(memory.window > 0);
            CHECK(memory.window <= memory.nets.offloaded);  // the nets are smaller than a window
        }
}

TEST_CASE("weights that are gathered at once are by formula those of two layers at most") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    planner::Configuration c = small_run();
    c.layout_options.shard = ShardLevel::parameters;
    for (const std::string mesh :
         world.size() == 2 ? std::vector{"data=2"} : std::vector{"data=2,pipe=2", "data=4"})
        for (const char* precision : {"fp32", "bf16"}) {
            c.layout_options.mesh = MeshRequest(mesh);
            c.problem.precision = net::parse_precision(precision);
            check_peaks(world, c);
        }
}

TEST_CASE("saved activations by formula are what the executor counts, in every table") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.problem.precision = net::Precision::fp32;
    for (const std::string& mesh : meshes(world.size())) {
        c.layout_options.mesh = MeshRequest(mesh);
        check_tables(world, c);
    }
}

TEST_CASE("replicas of a rank by formula hold sums and saved activations of their own") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.problem.batch = micro * 4 * world.size();
    for (const char* precision : {"fp32", "bf16"})
        for (const int replicas : world.size() == 1 ? std::vector{2, 4} : std::vector{2}) {
            c.problem.precision = net::parse_precision(precision);
            c.layout_options.threads = c.layout_options.replicas = replicas;
            check_peaks(world, c);
            const Ours ours(world, c);
            const planner::CostModel model(planner::workload_of(c.problem, c.hyperparameters), {},
                                           world.size(), replicas);
            const auto nets = planner::plan_of(model, ours.layout).memory.at(0).nets;
            std::int64_t gradients = 0, all = 0;
            for (const auto& net : ours.models.all()) {
                gradients += world.max(held_by(*net).gradients);
                all += world.max(net->bytes());
            }
            CHECK(nets.gradients == gradients);
            CHECK(nets.sum() == all);
        }
}

TEST_CASE("where D sees the fakes themselves these count once") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.hyperparameters.instance_noise = 0;
    for (const double translate : {0.0, 0.125})
        for (const char* precision : {"fp32", "bf16", "fp64"})
            for (const std::string& mesh : meshes(world.size())) {
                c.hyperparameters.translate = translate;
                c.problem.precision = net::parse_precision(precision);
                c.layout_options.mesh = MeshRequest(mesh);
                check_peaks(world, c);
            }
}

TEST_CASE("in other precisions, with single tiles, where the tensor axis leaves layers whole") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    planner::Configuration c = small_run();
    c.problem.nets = small_nets({8, 12, 6, 4}, {4, 6, 8, 12});
    c.problem.micro_batch = 1;
    for (const char* precision : {"bf16", "fp64"})
        for (const std::string& mesh : meshes(world.size())) {
            c.problem.precision = net::parse_precision(precision);
            c.layout_options.mesh = MeshRequest(mesh);
            c.layout_options.schedule = planner::schedule_named("zero-bubble");
            check_peaks(world, c);
        }
}
