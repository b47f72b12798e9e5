#pragma once
/// A problem of few channels, which every layer of a DCGAN is in.
#include "civitas/planner/step_plan.hpp"

#include <string>

namespace civitas::test {

inline planner::Configuration small_gan(const std::string& precision) {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64",
                                    .nz = 8,
                                    .generator_widths = {16, 8, 8, 8},
                                    .discriminator_widths = {8, 8, 8, 16}});
    c.problem.precision = net::parse_precision(precision);
    c.problem.batch = 16;
    c.problem.micro_batch = 2;
    return c;
}

/// Its plan by formula on a machine of the default kind.
inline planner::StepPlan plan_of(const planner::Configuration& c, MeshShape mesh) {
    const planner::CostModel model(planner::workload_of(c.problem, c.hyperparameters), {},
                                   mesh.size());
    return planner::make_plan(model, c.layout_options, mesh);
}

}  // namespace civitas::test
