#include "samples.hpp"

#include "along.hpp"
#include "drawing.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/picture.hpp"

namespace civitas::train {
namespace {

constexpr int sheet_columns = 8;
constexpr std::int64_t sheet_plans = 64;
constexpr int sheet_tile_pixels = 96;

/// Collective along the pipe axis.
at::Tensor draw_samples(const Run& run, RunState& state) {
    const Task& task = run.configuration.task;
    const auto gan = task.gan();
    const LatentOptions options{Seed{task.seed}, Purpose::sheet, gan.nz};
    const auto like = at::TensorOptions()
                          .dtype(master_type(parse_precision(task.precision)))
                          .device(run.setting.device);
    const auto along = stages_along(run.mesh, run.setting, parallel::Net::generator, gan.generator);
    const auto stages = state.generator().drawing_stages();
    const auto generator = [&](const at::Tensor& z) {
        return carry(along, z,
                     [&](int stage, const at::Tensor& x) { return stages.at(stage).evaluate(x); });
    };
    return draw_plans(generator, options, {0, sheet_plans}, like);
}

}  // namespace

void keep_samples(const Run& run, RunState& state) {
    at::Tensor plans;
    if (run.mesh.here().data == 0) plans = draw_samples(run, state);
    comm::agree(run.mesh.world(), [&] {
        if (!run.is_root()) return;
        const auto file = run.folder.sample(state.steps_done());
        io::write_png(file,
                      report::sheet_of_soft(soft_images(plans), sheet_columns, sheet_tile_pixels));
        run.log.say("drew " + file.string());
    });
}

}  // namespace civitas::train
