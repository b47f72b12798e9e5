#include "civitas/tasks/calibration.hpp"

#include "civitas/tasks/augment.hpp"

namespace civitas::tasks {

std::int64_t calibration_micro_batches(const planner::Problem& problem) {
    constexpr std::int64_t plans = 256;
    return (plans + problem.micro_batch - 1) / problem.micro_batch;
}

at::Tensor calibration_noise(const planner::Problem& problem,
                             const conditions::Conditions& conditions, std::int64_t micro_batch,
                             const at::TensorOptions& like) {
    // Sheets of samples are drawn with major 0.
    constexpr std::uint64_t major = 1;
    const LatentOptions options{Seed{problem.seed}, Purpose::sheet, problem.nets.nz(),
                                as_training_tiles(conditions, Seed{problem.seed})};
    return latent(options, major, Sample{micro_batch * problem.micro_batch}, problem.micro_batch,
                  like);
}

}  // namespace civitas::tasks
