#include "agreement.hpp"

#include "bounds.hpp"
#include "devices.hpp"
#include "fitting.hpp"
#include "layout.hpp"
#include "machine.hpp"
#include "memory_limits.hpp"
#include "resources_here.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/comm/tags.hpp"
#include "civitas/parallel/tags.hpp"

#include <cmath>
#include <utility>

namespace civitas::train {
namespace {

/// Throws UsageError for a table in which the ranks cannot meet.
void order_messages(Setting& s, const Problem& problem) {
    s.messages = parallel::message_order(s.schedule, static_cast<int>(s.generator_stages.size()),
                                         problem.micro_batches() / s.mesh[Axis::data]);
}

/// Throws UsageError where a message's number would be beyond what the network can tell apart.
void check_tags(const MeshShape& mesh, const Problem& problem) {
    const std::int64_t micro_batches = problem.micro_batches() / mesh[Axis::data];
    const std::int64_t most = comm::largest_tag() / parallel::tags_of(1);
    if (mesh[Axis::pipe] == 1 || micro_batches <= most) return;
    throw UsageError(
        text(micro_batches, " micro-batches a rank are too many for a pipe: messages of ", most,
             " can be told apart by this MPI"),
        Hint{text("--micro-batch ", problem.micro_batch * (micro_batches / most + 1),
                  ", or a larger data axis")});
}

/// Timing layers under a limit of the address space that does not even hold a step would end inside
/// a library: then the plan is made of estimates first. Collective.
void require_fit_by_estimates(const comm::Communicator& world, const Configuration& c,
                              const Setting& setting, const Resources& here) {
    if (!world.any(std::isfinite(memory_of_process()))) return;
    comm::agree(world, [&] {
        const auto seconds = estimated_seconds(c.problem, here, world.size());
        require_fit(fitted_plan(c, setting, here, seconds), c, here, seconds);
    });
}

/// What the ranks must have decided alike, to meet in what they send each other.
std::string decisions(const Setting& s) {
    const auto lines = [](const char* net, const std::vector<Range>& stages) {
        std::string words = net;
        for (const Range& stage : stages) words += text(' ', stage.count);
        return words + '\n';
    };
    return text("mesh ", to_string(s.mesh), '\n', lines("generator-stages", s.generator_stages),
                lines("discriminator-stages", s.discriminator_stages), to_string(s.schedule));
}

/// All that the ranks were told, whatever files they read it from.
std::string words_of(const Configuration& c) {
    const parallel::Schedule* const table = c.layout.table();
    return c.resolved + (table == nullptr ? "" : to_string(*table));
}

}  // namespace

Setting agree_on_setting(const comm::Communicator& world, const Configuration& c, Log& log) {
    comm::require_same(world, {"the configuration", Hint{"the same files for all ranks of a job"}},
                       words_of(c));
    Setting s;
    const Resources here = resources_here(world);
    comm::agree(world, [&] {
        s.mesh = parse_mesh(c.layout.mesh, world.size());
        check_batch(c.problem, s.mesh);
        check_tags(s.mesh, c.problem);
        s.stage_devices = stage_devices(c.layout, s.mesh);
        lay_out(s, c, here, estimated_seconds(c.problem, here, world.size()), Effort::check);
        order_messages(s, c.problem);
    });
    const int pipe = s.mesh.coordinate(world.rank())[Axis::pipe];
    const auto device =
        agree_on_device(world, s.stage_devices[static_cast<std::size_t>(pipe)], log);
    if (device.is_cuda()) s.gpu = device.index();
    s.threads = set_threads(world, c.layout.threads, log);
    s.instruction_set = agreed_instruction_set(world);
    require_fit_by_estimates(world, c, s, here);
    return s;
}

Plan agree_on_plan(const comm::Communicator& world, const Configuration& configuration,
                   const Profile& profile, Setting& setting, Log& log) {
    const Resources here = resources_here(world, profile);
    Fitted fitted = comm::agree(world, [&] {
        Fitted found = fitted_plan(configuration, setting, here, profile.seconds);
        require_fit(found, configuration, here, profile.seconds);
        order_messages(found.plan.setting, configuration.problem);
        return found;
    });
    setting = fitted.plan.setting;
    comm::require_same(world, {"the plan", Hint{"nodes of one kind"}}, decisions(setting));
    if (!fitted.told.empty()) log.say(fitted.told);
    return std::move(fitted.plan);
}

}  // namespace civitas::train
