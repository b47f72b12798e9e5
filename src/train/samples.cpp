#include "samples.hpp"

#include "along.hpp"
#include "devices.hpp"
#include "drawing.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/picture.hpp"

namespace civitas::train {
namespace {

constexpr int sheet_columns = 8;
constexpr std::int64_t sheet_plans = 64;
constexpr int sheet_tile_pixels = 96;

/// Collective along the pipe and tensor axes.
at::Tensor draw_samples(const Run& run, RunState& state, Range plans) {
    const Problem& problem = run.configuration.problem;
    const auto& gan = problem.gan();
    const LatentOptions options{Seed{problem.seed}, Purpose::sheet, gan.nz};
    const auto like =
        at::TensorOptions().dtype(master_type(problem.precision)).device(device_of(run.setting));
    const auto along = stages_along(run.mesh, run.setting, parallel::Net::generator, gan.generator);
    const auto stages = state.generator().drawing_stages();
    const auto generator = [&](const at::Tensor& z) {
        return carry(along, z,
                     [&](int stage, const at::Tensor& x) { return stages.at(stage).evaluate(x); });
    };
    return draw_plans(generator, options, plans, like);
}

/// The first replica always draws some.
Range share_of_sheet(Rank replica, int replicas) {
    const int drawing = std::min(replicas, static_cast<int>(sheet_plans));
    if (index(replica) >= drawing) return {sheet_plans, 0};
    return share_of(sheet_plans, index(replica), drawing);
}

/// The plans that the replicas have drawn, one share after the other, on the root of `replicas`;
/// none on the others. Collective along it.
std::vector<report::SoftImage> gathered(const comm::Communicator& replicas,
                                        std::vector<report::SoftImage> plans) {
    for (Rank from{1}; index(from) < replicas.size(); from = Rank{index(from) + 1}) {
        if (!replicas.is_root() && replicas.rank() != from) continue;
        const Range theirs = share_of_sheet(from, replicas.size());
        for (std::int64_t i = 0; i < theirs.count; ++i) {
            // The root's first stands for what comes: all are of one size.
            report::SoftImage plan =
                replicas.is_root() ? plans.front() : plans[static_cast<std::size_t>(i)];
            plan.values_CHW = replicas.bring(std::move(plan.values_CHW), from);
            if (replicas.is_root()) plans.push_back(std::move(plan));
        }
    }
    if (!replicas.is_root()) plans.clear();
    return plans;
}

}  // namespace

void keep_samples(const Run& run, RunState& state) {
    const Coordinate here = run.mesh.here();
    const comm::Communicator& replicas = run.mesh.along(Axis::data);
    const Range mine = share_of_sheet(replicas.rank(), replicas.size());
    std::vector<report::SoftImage> plans;
    if (mine.count > 0) plans = soft_images(draw_samples(run, state, mine));
    if (here[Axis::pipe] == 0 && here[Axis::tensor] == 0)
        plans = gathered(replicas, std::move(plans));
    comm::agree(run.mesh.world(), [&] {
        if (!run.is_root()) return;
        const auto file = run.folder.sample(state.steps_done());
        io::write_png(file, report::sheet_of_soft(plans, sheet_columns, sheet_tile_pixels));
        run.log.say("drew " + file.string());
    });
}

}  // namespace civitas::train
