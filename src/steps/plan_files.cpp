#include "civitas/steps/plan_files.hpp"

#include "civitas/base/version.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/runs/planned.hpp"
#include "civitas/steps/gantt.hpp"

namespace civitas::steps {

void keep_plan(const Run& run) {
    const planner::StepPlan& plan = run.plan;
    const planner::Problem& problem = run.configuration.problem;
    comm::on_root(run.mesh.world(), [&] {
        const runs::Planned planned{.program = text("civitas ", version()),
                                    .ranks = run.ranks.size(),
                                    .mesh = to_string(plan.layout.mesh),
                                    .schedule = plan.layout.schedule.name,
                                    .threads = run.process.threads * plan.layout.replicas,
                                    .instructions = run.process.instruction_set,
                                    .seconds = plan.seconds_of_step(),
                                    .bubble = plan.step.bubble(),
                                    .bytes = plan.peak_bytes(),
                                    .tiles = problem.batch};
        io::write_text_file(run.folder.plan(), to_json(planned), io::Replace::yes);
        io::write_text_file(run.folder.schedule(), report::to_svg(gantt_of(plan, problem)),
                            io::Replace::yes);
    });
}

}  // namespace civitas::steps
