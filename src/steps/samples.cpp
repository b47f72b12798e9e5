#include "civitas/steps/samples.hpp"

#include "drawing_net.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/nn/calibration.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/steps/drawing.hpp"
#include "civitas/tasks/calibration.hpp"
#include "civitas/tasks/together.hpp"

#include <algorithm>

namespace civitas::steps {
namespace {

constexpr int sheet_columns = 8;
constexpr int sheet_plans = 64;
constexpr int sheet_tile_pixels = 96;
// The shares of a sheet take equally many gatherings of weights.
static_assert(sheet_plans == plans_together * plans_together);

/// Drawing is to take no more memory than a step, unless every plan more gathers weights again.
std::int64_t plans_at_once(const planner::Problem& problem, bool gathers) {
    return gathers ? plans_together : std::min(plans_together, problem.micro_batch);
}

/// The running statistics of a generator that draws with the mean of its weights become those that
/// this has. Collective over the mesh.
void calibrate(const DrawingNet& generator, const optim::ModelState& net,
               const planner::Problem& problem, const conditions::Conditions& conditions,
               const optim::Buffers& statistics, const tasks::Meet& meet) {
    std::map<StageId, nn::Calibration> calibrations;
    for (std::int64_t i = 0; i < tasks::calibration_micro_batches(problem); ++i)
        (void)generator.forward(tasks::calibration_noise(problem, conditions, i, generator.like()),
                                meet, [&](StageId id, const nn::Stage& stage, const at::Tensor& x) {
                                    return calibrations[id].forward(stage, x);
                                });
    for (const auto& [id, calibration] : calibrations) {
        const Range part = net.buffers_of(id);
        calibration.store(std::span(statistics.tensors())
                              .subspan(static_cast<std::size_t>(part.begin),
                                       static_cast<std::size_t>(part.count)));
    }
}

/// Collective over the mesh.
at::Tensor draw_samples(const Run& run, const runs::RunState& state, Range plans,
                        const tasks::Meet& meet) {
    const planner::Problem& problem = run.configuration.problem;
    const optim::ModelState& net = state.models()[schedule::gan::generator];
    const optim::Buffers statistics = net.drawing_statistics().clone();
    const DrawingNet generator(run, net, schedule::gan::generator, statistics);
    if (net.has_mean()) calibrate(generator, net, problem, state.conditions(), statistics, meet);
    const auto pass = [](StageId, const nn::Stage& stage, const at::Tensor& x) {
        return stage.evaluate_each(x);
    };
    return draw_plans([&](const at::Tensor& z) { return generator.forward(z, meet, pass); },
                      {Seed{problem.seed}, Purpose::sheet, problem.nets.nz(),
                       tasks::as_training_tiles(state.conditions(), Seed{problem.seed})},
                      plans, generator.like(), plans_at_once(problem, generator.gathers()));
}

/// The first replica always draws some.
Range share_of_sheet(Rank replica, int replicas) {
    const int drawing = std::min(replicas, sheet_plans);
    if (index(replica) >= drawing) return {sheet_plans, 0};
    return block_range(sheet_plans, index(replica), drawing);
}

/// Of the ranks of a replica, which all have what it draws, the first one.
bool shows(const comm::Mesh& mesh) {
    return mesh.coordinate()[Axis::pipe] == 0 && mesh.coordinate()[Axis::tensor] == 0;
}

/// What this rank shows on the sheet. On the root of `replicas` there is room for what the others
/// draw, so that it comes without fail: all plans are of one size.
std::vector<report::SoftImage> drawn(const Run& run, const runs::RunState& state,
                                     const tasks::Meet& meet) {
    const comm::Communicator& replicas = run.mesh.group(Axis::data);
    const Range mine = share_of_sheet(replicas.rank(), replicas.size());
    const Range drawn = mine.count > 0 ? mine : Range{0, 1};  // weights are gathered by all
    auto plans = soft_images(draw_samples(run, state, drawn, meet));
    if (mine.count == 0) return {};
    if (replicas.is_root() && shows(run.mesh))
        plans.resize(sheet_plans, report::SoftImage(plans.front()));
    return plans;
}

/// The plans that the replicas have drawn, one share after the other, on the root of `replicas`.
/// Collective along it.
void gather(const comm::Communicator& replicas, std::vector<report::SoftImage>& plans) {
    for (Rank from{1}; index(from) < replicas.size(); from = Rank{index(from) + 1}) {
        if (!replicas.is_root() && replicas.rank() != from) continue;
        const Range theirs = share_of_sheet(from, replicas.size());
        const std::int64_t first = replicas.is_root() ? theirs.begin : 0;
        for (std::int64_t i = first; i < first + theirs.count; ++i) {
            auto& values = plans.at(static_cast<std::size_t>(i)).values_CHW;
            values = replicas.transfer(std::move(values), from);
        }
    }
}

}  // namespace

void keep_samples(const Run& run, runs::RunState& state) {
    std::vector<report::SoftImage> plans;
    tasks::do_together(run.mesh, [&](const tasks::Meet& meet) { plans = drawn(run, state, meet); });
    if (shows(run.mesh)) gather(run.mesh.group(Axis::data), plans);
    comm::on_root(run.mesh.world(), [&] {
        const auto file = run.folder.sample(state.steps_done());
        io::write_png(file, report::sheet_of_soft(plans, sheet_columns, sheet_tile_pixels));
        run.log.info("drew " + file.string());
    });
}

}  // namespace civitas::steps
