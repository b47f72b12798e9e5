#pragma once
/// A small problem to lay out.
#include "civitas/planner/options.hpp"

namespace civitas::test {

inline planner::Configuration small() {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64", .generator_widths = {512, 256, 128, 64}});
    c.problem.batch = 32;
    c.problem.micro_batch = 4;
    return c;
}

}  // namespace civitas::test
