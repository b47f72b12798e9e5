#include "civitas/tasks/net_input.hpp"

#include "civitas/nn/number_types.hpp"
#include "civitas/planner/workload.hpp"

namespace civitas::tasks {

AugmentOptions augment_options(const planner::Problem& problem,
                               const planner::Hyperparameters& hyperparameters) {
    return {Seed{problem.seed},
            problem.task() == TaskKind::gan ? hyperparameters.instance_noise : 0,
            hyperparameters.translate};
}

std::vector<std::function<void(const at::Tensor&)>> input_work(
    const planner::Problem& problem, const planner::Hyperparameters& hyperparameters) {
    const planner::Workload workload = planner::workload_of(problem, hyperparameters);
    std::vector<std::function<void(const at::Tensor&)>> work(workload.nets.size());
    work.at(static_cast<std::size_t>(workload.reader())) =
        [options = augment_options(problem, hyperparameters),
         type = nn::compute_type(problem.precision)](const at::Tensor& x_BCHW) {
            const at::Tensor drawn_B6 =
                draw_augmentations(options, SampleRange{}, x_BCHW.size(0), x_BCHW.size(2));
            (void)augment(options, drawn_B6.to(x_BCHW.device()), x_BCHW, type);
        };
    return work;
}

}  // namespace civitas::tasks
