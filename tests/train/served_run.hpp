#pragma once
/// Steps of a small GAN whose weights servers keep.
#include "support/agree.hpp"
#include "tasks/gan_runs.hpp"
#include "train/server_course.hpp"

#include <mpi.h>

namespace civitas::train::served {

namespace runs = tasks::runs;

/// A rank of a job with as many parts of a step as workers, each of which makes its own.
struct Served {
    Served(const comm::Communicator& world, const planner::Configuration& c)
        : log(world.rank()),
          self(comm::Communicator::self()),
          layout(runs::agreed(self, c)),
          process(runs::agreed_process(self, c, layout.mesh)),
          mesh(self, layout.mesh, comm::choose_backend(self, at::kCPU)),
          ranks(world, c, log),
          models(c, layout, process, mesh, {.shared = ranks.models()}),
          executor(mesh, layout, part_for(c), models, tasks::parts_of(models, mesh),
                   [c] { return runs::real_tiles(c, 0); }) {
        world.barrier();  // all have made their models
        if (world.is_root())
            for (const auto& net : models.all()) net->publish();
    }

    void make(std::int64_t step) {
        ranks.worker.make({step, part()}, [&] {
            for (const auto& net : models.all()) net->refresh();
            executor.run(StepIndex{step});
            (void)executor.task().finish();
            for (const auto& net : ranks.nets) net->wait_until_pushed();
        });
    }
    /// Until all ranks have come here.
    void serve_others() {
        MPI_Request all = MPI_REQUEST_NULL;
        MPI_Ibarrier(MPI_COMM_WORLD, &all);
        for (int come = 0; come == 0; MPI_Test(&all, &come, MPI_STATUS_IGNORE)) {
            ranks.serve();
            ranks.endpoint.progress();
        }
    }

    [[nodiscard]] std::int64_t part() const {
        return index(ranks.me) - (ranks.roles.ranks() - ranks.roles.workers());
    }
    [[nodiscard]] tasks::StepShare part_for(const planner::Configuration& c) const {
        const int mine = ranks.roles.works(ranks.me) ? static_cast<int>(part()) : 0;
        const MicroBatchShare own(c.problem.micro_batches(), mine, static_cast<int>(ranks.parts));
        return {.workload = planner::workload_of(c.problem, c.hyperparameters),
                .objective = runs::objective_of(c, at::kCPU),
                .seed = Seed{c.problem.seed},
                .micro_batches = own,
                .of_mesh = ranks.parts > 1 ? own.count() : 0};
    }

    Log log;
    comm::Communicator self;
    planner::ExecutionLayout layout;
    environment::Process process;
    comm::Mesh mesh;
    ServerRanks ranks;
    tasks::Models models;
    tasks::StepExecutor executor;
};

inline planner::Configuration run_with(const comm::Communicator& world, int servers,
                                       std::int64_t max_staleness) {
    planner::Configuration c = runs::small_run();
    c.update = {.kind = UpdateKind::server,
                .max_staleness = max_staleness,
                .servers = servers,
                .ranks = world.size(),
                .rank = index(world.rank())};
    c.problem.batch = 2 * runs::micro * (world.size() - servers);
    return c;
}

inline std::unique_ptr<Served> run_served(const comm::Communicator& world,
                                          const planner::Configuration& c, int steps) {
    auto served = std::make_unique<Served>(world, c);
    REQUIRE_ALL(world, served->ranks.parts == served->ranks.roles.workers());
    for (int step = 0; step < steps && served->ranks.roles.works(world.rank()); ++step)
        served->make(step);
    served->serve_others();
    return served;
}

inline std::vector<int> numbers_of_servers(int ranks) {
    return ranks == 1 ? std::vector{0} : ranks == 2 ? std::vector{0, 1} : std::vector{0, 1, 2};
}

}  // namespace civitas::train::served
