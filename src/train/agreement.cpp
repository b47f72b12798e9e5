#include "agreement.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/comm/tags.hpp"
#include "civitas/environment/devices.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/fitting.hpp"
#include "civitas/planner/layout.hpp"
#include "civitas/planner/way_out.hpp"
#include "civitas/schedule/tags.hpp"
#include "civitas/train/resources_here.hpp"

#include <utility>

namespace civitas::train {
namespace {

/// Throws UsageError for a table in which the ranks cannot meet.
void order_messages(planner::ExecutionLayout& s, const planner::Problem& problem) {
    s.messages = schedule::message_order(s.schedule, static_cast<int>(s.generator_stages.size()),
                                         problem.micro_batches() / s.mesh[Axis::data]);
}

/// Throws UsageError where a message's number would be beyond what the network can tell apart.
void check_tags(const MeshShape& mesh, const planner::Problem& problem) {
    const std::int64_t micro_batches = problem.micro_batches() / mesh[Axis::data];
    const std::int64_t most = comm::largest_tag() / schedule::tags_of(1);
    if (mesh[Axis::pipe] == 1 || micro_batches <= most) return;
    throw UsageError(
        text(micro_batches, " micro-batches a rank are too many for a pipe: messages of ", most,
             " can be told apart by this MPI"),
        Hint{text("--micro-batch ", problem.micro_batch * (micro_batches / most + 1),
                  ", or a larger data axis")});
}

/// Throws AgreedError where a rank has too little memory, with what may help. Collective.
void require_fit(const comm::Communicator& world, const planner::Fitted& fitted,
                 const planner::Configuration& c, const planner::MachineModel& here,
                 const planner::LayerTimings& timings) {
    const bool lacks = !fitted.lacks.empty();
    if (!world.any(lacks)) return;
    const auto hint = comm::agree(world, [&] {
        return world.is_root() ? planner::way_out(c, world.size(), here, timings).words
                               : std::string();
    });
    const std::string words = world.broadcast(hint);
    comm::agree(world, [&] {
        if (lacks) throw UsageError(fitted.lacks, Hint{words});
    });
}

/// What the ranks must have decided alike, to meet in what they send each other.
std::string decisions(const planner::ExecutionLayout& s) {
    const auto lines = [](const char* net, const std::vector<Range>& stages) {
        std::string words = net;
        for (const Range& stage : stages) words += text(' ', stage.count);
        return words + '\n';
    };
    return text("mesh ", to_string(s.mesh), '\n', lines("generator-stages", s.generator_stages),
                lines("discriminator-stages", s.discriminator_stages), to_string(s.schedule));
}

/// All that the ranks were told, whatever files they read it from.
std::string words_of(const planner::Configuration& c) {
    const schedule::Schedule* const table = c.layout_options.table();
    return c.resolved + (table == nullptr ? "" : to_string(*table));
}

}  // namespace

planner::ExecutionLayout agree_on_layout(const comm::Communicator& world,
                                         const planner::Configuration& c, Log& log) {
    comm::require_same(world, {"the configuration", Hint{"the same files for all ranks of a job"}},
                       words_of(c));
    planner::ExecutionLayout s;
    const planner::MachineModel here = resources_here(world);
    comm::agree(world, [&] {
        s.mesh = parse_mesh(c.layout_options.mesh, world.size());
        planner::check_batch(c.problem, s.mesh);
        check_tags(s.mesh, c.problem);
        s.stage_devices = planner::stage_devices(c.layout_options, s.mesh);
        planner::lay_out(s, c, here, planner::estimated_timings(c.problem, here, world.size()),
                         planner::SearchBudget::check);
        order_messages(s, c.problem);
    });
    const int pipe = s.mesh.coordinate(world.rank())[Axis::pipe];
    const auto device =
        environment::agree_on_device(world, s.stage_devices[static_cast<std::size_t>(pipe)], log);
    if (device.is_cuda()) s.gpu = device.index();
    s.threads = environment::set_threads(world, c.layout_options.threads, log);
    s.instruction_set = environment::agreed_instruction_set(world);
    return s;
}

planner::StepPlan agree_on_estimate(const comm::Communicator& world,
                                    const planner::Configuration& c,
                                    const planner::ExecutionLayout& layout) {
    const planner::MachineModel here = resources_here(world);
    const planner::LayerTimings timings = planner::estimated_timings(c.problem, here, world.size());
    planner::Fitted fitted = comm::agree(world, [&] {
        planner::Fitted found =
            planner::fitted_plan(c, layout, here, timings, planner::SearchBudget::fit);
        const bool leaves_no_choice = found.lacks.empty() || layout.mesh[Axis::pipe] == 1;
        return leaves_no_choice ? found : planner::fitted_plan(c, layout, here, timings);
    });
    require_fit(world, fitted, c, here, timings);
    return std::move(fitted.plan);
}

planner::StepPlan agree_on_plan(const comm::Communicator& world,
                                const planner::Configuration& configuration, const Profile& profile,
                                const planner::ExecutionLayout& layout, Log& log) {
    const planner::MachineModel here = resources_here(world, profile);
    planner::Fitted fitted = comm::agree(world, [&] {
        planner::Fitted found = planner::fitted_plan(configuration, layout, here, profile.timings);
        order_messages(found.plan.layout, configuration.problem);
        return found;
    });
    require_fit(world, fitted, configuration, here, profile.timings);
    comm::require_same(world, {"the plan", Hint{"nodes of one kind"}},
                       decisions(fitted.plan.layout));
    if (!fitted.told.empty()) log.say(fitted.told);
    return std::move(fitted.plan);
}

}  // namespace civitas::train
