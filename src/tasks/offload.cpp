#include "civitas/tasks/offload.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/environment/memory_limits.hpp"
#include "civitas/memory/offload_file.hpp"

namespace civitas::tasks {
namespace {

/// What is pinned is taken at once: ranks that want more than there is would be killed.
void require_host_memory(const comm::Communicator& world, std::int64_t bytes, double part) {
    const std::int64_t needed = world.split_by_machine().sum(bytes);
    const auto has = static_cast<std::int64_t>(part * environment::memory_of_machine());
    comm::agree(world, [&] {
        if (needed > has)
            throw UsageError(text("the ranks of a node would offload ", megabytes(needed),
                                  " to host memory, it has ", megabytes(has)),
                             Hint{"--offload disk, --shard parameters, or fewer ranks a node"});
    });
}

std::unique_ptr<memory::OffloadMemory> file_in(const std::string& folder, std::int64_t bytes,
                                               const comm::Communicator& world, Log& log) {
    constexpr int arrays = 8;  // masters, two moments and a mean of either net
    auto file = comm::agree(world, [&] {
        return bytes == 0 ? nullptr : std::make_unique<memory::OffloadFile>(folder, bytes, arrays);
    });
    const bool in_memory = file != nullptr && file->is_in_memory();
    const std::int64_t me = index(world.rank());
    if (world.min(in_memory ? me : world.size()) == me)  // one rank tells
        log.warn(text(folder, " is itself in memory (tmpfs). Hint: --offload-folder on a disk"));
    return file;
}

}  // namespace

std::unique_ptr<memory::OffloadMemory> agree_on_offload(const comm::Mesh& mesh,
                                                        const planner::Configuration& c,
                                                        const planner::StepPlan& plan, Log& log) {
    const planner::LayoutOptions& options = c.layout_options;
    const Offload offload = plan.layout.offload;
    if (options.offload != offload)
        log.info("--offload host changes nothing: ranks on CPUs compute in host memory");
    if (offload == Offload::none) return nullptr;
    const auto here = static_cast<std::size_t>(mesh.coordinate().pipe());
    const std::int64_t bytes = plan.memory.at(here).nets.offloaded;
    if (offload == Offload::disk)
        return file_in(options.offload_folder.empty() ? c.run_options.run : options.offload_folder,
                       bytes, mesh.world(), log);
    require_host_memory(mesh.world(), bytes, options.share.part);
    const DeviceKind device = planner::stage_devices(options, mesh.shape()).at(here);
    return std::make_unique<memory::HostMemory>(device == DeviceKind::cuda);
}

}  // namespace civitas::tasks
