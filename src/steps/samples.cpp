#include "civitas/steps/samples.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/nn/calibration.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/steps/drawing.hpp"
#include "civitas/tasks/calibration.hpp"
#include "civitas/tasks/pipe_view.hpp"
#include "civitas/tasks/together.hpp"

namespace civitas::steps {
namespace {

constexpr int sheet_columns = 8;
constexpr int sheet_plans = 64;
constexpr int sheet_tile_pixels = 96;
/// That are drawn by weights before these are dropped. The shares of a sheet take equally many
/// gatherings, since it has so many plans times itself.
constexpr int plans_of_gathering = 8;
static_assert(sheet_plans == plans_of_gathering * plans_of_gathering);

/// The generator as it draws, along the pipe.
class Drawer {
public:
    /// With the mean of the weights when there is one, and the statistics that these have.
    /// Collective over the mesh.
    Drawer(const Run& run, const optim::ModelState& net, const tasks::Meet& meet)
        : run_(run),
          net_(net),
          gathers_(net.stage_weights() != nullptr),
          statistics_(net.drawing_statistics().clone()),
          stages_(gathers_ ? std::map<StageId, nn::Stage>() : net.drawing_stages(statistics_)),
          along_(tasks::pipe_view_of(run.mesh, run.plan.layout, schedule::gan::generator,
                                     problem().nets[schedule::gan::generator])) {
        if (net.has_mean()) calibrate(meet);
    }

    /// Collective over the mesh.
    [[nodiscard]] at::Tensor draw(Range plans, const tasks::Meet& meet) const {
        const tasks::LatentOptions options{Seed{problem().seed}, Purpose::sheet,
                                           problem().nets.nz()};
        const auto generator = [&](const at::Tensor& z) {
            return through_pipe(z, meet, [&](StageId, const nn::Stage& stage, const at::Tensor& x) {
                return gathers_ ? stage.evaluate_each(x) : stage.evaluate(x);
            });
        };
        return draw_plans(generator, options, plans, like(), gathers_ ? plans_of_gathering : 1);
    }

private:
    using Pass = std::function<at::Tensor(StageId, const nn::Stage&, const at::Tensor&)>;

    [[nodiscard]] const planner::Problem& problem() const { return run_.configuration.problem; }
    [[nodiscard]] at::TensorOptions like() const {
        return at::TensorOptions()
            .dtype(nn::master_type(problem().precision))
            .device(run_.process.device);
    }
    [[nodiscard]] at::Tensor through_pipe(const at::Tensor& z, const tasks::Meet& meet,
                                          const Pass& pass) const {
        return tasks::forward_through_pipe(
            along_, z,
            [&](StageId stage, const at::Tensor& x) {
                return gathers_ ? pass(stage, net_.drawing_stage(stage, statistics_), x)
                                : pass(stage, stages_.at(stage), x);
            },
            meet);
    }
    void calibrate(const tasks::Meet& meet) {
        std::map<StageId, nn::Calibration> calibrations;
        for (std::int64_t i = 0; i < tasks::calibration_micro_batches(problem()); ++i)
            (void)through_pipe(tasks::calibration_noise(problem(), i, like()), meet,
                               [&](StageId id, const nn::Stage& stage, const at::Tensor& x) {
                                   return calibrations[id].forward(stage, x);
                               });
        for (const auto& [id, calibration] : calibrations) {
            const Range part = net_.buffers_of(id);
            calibration.store(std::span(statistics_.tensors())
                                  .subspan(static_cast<std::size_t>(part.begin),
                                           static_cast<std::size_t>(part.count)));
        }
    }

    const Run& run_;
    const optim::ModelState& net_;
    bool gathers_;
    optim::Buffers statistics_;
    std::map<StageId, nn::Stage> stages_;
    tasks::PipeView along_;
};

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
std::vector<report::SoftImage> drawn(const Run& run, runs::RunState& state,
                                     const tasks::Meet& meet) {
    const comm::Communicator& replicas = run.mesh.group(Axis::data);
    const Range mine = share_of_sheet(replicas.rank(), replicas.size());
    const Range drawn = mine.count > 0 ? mine : Range{0, 1};  // weights are gathered by all
    const Drawer drawer(run, state.models()[schedule::gan::generator], meet);
    auto plans = soft_images(drawer.draw(drawn, meet));
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
