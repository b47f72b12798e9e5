#include "agreement.hpp"

#include "bounds.hpp"
#include "devices.hpp"
#include "fitting.hpp"
#include "layout.hpp"
#include "machine.hpp"
#include "resources_here.hpp"
#include "way_out.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/comm/tags.hpp"
#include "civitas/parallel/tags.hpp"

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

/// Throws AgreedError where a rank has too little memory, with what may help. Collective.
void require_fit(const comm::Communicator& world, const Fitted& fitted, const Configuration& c,
                 const Resources& here, const LayerSeconds& seconds) {
    const bool lacks = !fitted.lacks.empty();
    if (!world.any(lacks)) return;
    const auto hint = comm::agree(world, [&] {
        return world.is_root() ? way_out(c, world.size(), here, seconds).words : std::string();
    });
    const std::string words = world.broadcast(hint);
    comm::agree(world, [&] {
        if (lacks) throw UsageError(fitted.lacks, Hint{words});
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
    return s;
}

Plan agree_on_estimate(const comm::Communicator& world, const Configuration& c,
                       const Setting& setting) {
    const Resources here = resources_here(world);
    const LayerSeconds seconds = estimated_seconds(c.problem, here, world.size());
    Fitted fitted = comm::agree(world, [&] {
        Fitted found = fitted_plan(c, setting, here, seconds, Effort::fit);
        const bool leaves_no_choice = found.lacks.empty() || setting.mesh[Axis::pipe] == 1;
        return leaves_no_choice ? found : fitted_plan(c, setting, here, seconds);
    });
    require_fit(world, fitted, c, here, seconds);
    return std::move(fitted.plan);
}

Plan agree_on_plan(const comm::Communicator& world, const Configuration& configuration,
                   const Profile& profile, const Setting& setting, Log& log) {
    const Resources here = resources_here(world, profile);
    Fitted fitted = comm::agree(world, [&] {
        Fitted found = fitted_plan(configuration, setting, here, profile.seconds);
        order_messages(found.plan.setting, configuration.problem);
        return found;
    });
    require_fit(world, fitted, configuration, here, profile.seconds);
    comm::require_same(world, {"the plan", Hint{"nodes of one kind"}},
                       decisions(fitted.plan.setting));
    if (!fitted.told.empty()) log.say(fitted.told);
    return std::move(fitted.plan);
}

}  // namespace civitas::train
