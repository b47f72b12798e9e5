#include "civitas/strategy/served.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/net/arena_slices.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/network.hpp"
#include "civitas/strategy/fitting.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace civitas::strategy {
namespace {

std::vector<ServedRanks> kinds_of(const ServerRoles& roles) {
    std::vector<ServedRanks> kinds{{}};
    const int servers = roles.servers();
    if (servers > 1) kinds.push_back({.first = Rank{1}, .count = servers - 1});
    if (servers < roles.ranks())
        kinds.push_back({.first = Rank{servers}, .count = roles.ranks() - servers});
    return kinds;
}

/// Values that each server keeps, of all nets.
std::vector<std::int64_t> kept_by(const planner::Workload& workload, int servers) {
    std::vector<std::int64_t> kept(static_cast<std::size_t>(servers));
    for (const planner::WorkloadNet& net : workload.nets) {
        const net::ArenaDivision division(net.description, servers);
        for (int rank = 0; rank < servers; ++rank)
            kept[static_cast<std::size_t>(rank)] += division.owned_by(rank).count();
    }
    return kept;
}

/// The first of those among these ranks that keep most: workers keep nothing.
Rank largest_of(const ServedRanks& ranks, const std::vector<std::int64_t>& kept) {
    if (index(ranks.first) >= std::ssize(kept)) return ranks.first;
    const auto first = kept.begin() + index(ranks.first);
    const auto most = std::max_element(first, first + ranks.count);
    return Rank{static_cast<int>(most - kept.begin())};
}

std::string name_of(const ServedRanks& ranks) {
    const int first = index(ranks.first);
    return ranks.count == 1 ? text("rank ", first)
                            : text("ranks ", first, " to ", first + ranks.count - 1);
}

std::string work_of(const planner::ServedModel& job, const ServedRanks& ranks) {
    if (!job.roles.works(ranks.first)) return "serves";
    return job.roles.serves(ranks.first) ? "serves, works" : "works";
}

void row(std::ostream& out, const std::string& first, const std::vector<std::string>& cells) {
    out << "  " << std::left << std::setw(16) << first << std::right;
    for (const std::string& cell : cells) out << std::setw(10) << cell;
    out << '\n';
}

/// Megabytes without the unit.
std::string bare(std::int64_t bytes) { return fixed(static_cast<double>(bytes) / 1e6, 1); }

}  // namespace

ServedPlan plan_served(planner::Configuration c, const planner::MachineModel& machine) {
    planner::check_servers(c.update);
    if (machine.gpus > 0)
        throw UsageError(
            "--update server, and a machine with GPUs: weights on servers are in memory of "
            "hosts, and workers compute on CPUs",
            Hint{"a machine file without gpus"});
    if (c.problem.kernels().automatic)
        throw UsageError("--kernels auto may choose others for each rank",
                         Hint{"--kernels aten or fast"});
    const auto whole = planner::workload_of(c.problem, c.hyperparameters);
    planner::check_batch(whole, MeshShape{});
    const auto own = planner::part_of_node(machine, machine.ranks_of_node(c.update.ranks));
    c.update.nodes = planner::nodes_of(machine, c.update.ranks);
    c.update.rank = 0;
    ServedPlan plan{.job = *planner::workload_of(c).served_model};
    plan.ranks = kinds_of(plan.job.roles);
    const auto kept = kept_by(whole, plan.job.roles.servers());
    for (ServedRanks& ranks : plan.ranks) {
        ranks.largest = largest_of(ranks, kept);
        c.update.rank = index(ranks.largest);
        if (c.update.rank > 0)  // the first rank writes all checkpoints
            c.run_options.checkpoint_mode = planner::CheckpointMode::sync;
        const planner::CostModel model(planner::workload_of(c), own, 1);
        const Fitted fitted = fitted_plan(model, c.layout_options, MeshShape{});
        const planner::Workload& part = model.workload();
        plan.micro_batches = part.micro_batches();
        if (part.served_model->works()) {
            plan.part_s = std::max(plan.part_s, fitted.plan.step.makespan_s);
            plan.step_s = std::max(plan.step_s, fitted.plan.seconds_of_step());
        }
        plan.room = model.room();
        ranks.memory = fitted.plan.largest_memory();
        ranks.sent =
            part.most_traffic(fitted.plan.layout, {index(ranks.first), std::int64_t{ranks.count}});
        if (!fitted.told.empty())
            plan.told += text(plan.told.empty() ? "" : "\n", name_of(ranks), ": ", fitted.told);
        if (plan.lacks.empty() && !fitted.lacks.empty())
            plan.lacks = text(name_of(ranks), ": ", fitted.lacks);
    }
    plan.tiles_per_second = static_cast<double>(whole.batch) / plan.step_s;
    plan.idle = idle_workers(plan.job, whole.micro_batch);
    return plan;
}

std::string idle_workers(const planner::ServedModel& job, std::int64_t micro_batch) {
    const std::int64_t workers = job.roles.workers();
    const std::int64_t idle = workers - job.workers_at_once();
    if (idle == 0) return "";
    return text(counted(idle, "worker is", "workers are"), " always idle: a step has ",
                counted(job.parts, "part", "parts"), " for ", workers, ", with --batch ",
                micro_batch * workers, " it has one for each");
}

std::string to_text(const ServedPlan& plan) {
    std::ostringstream out;
    out << "Weights on servers: " << plan.job.roles.servers() << " of " << plan.job.roles.ranks()
        << " ranks serve, " << plan.job.roles.workers() << " work; gradients lack at most "
        << counted(plan.job.max_staleness, "update", "updates") << ".\nA step has "
        << counted(plan.job.parts, "part", "parts") << " of "
        << counted(plan.micro_batches, "micro-batch", "micro-batches") << ", each made in "
        << fixed(plan.part_s, 3) << " s; a worker makes at most " << plan.job.parts_of_worker()
        << ".\nA step should take " << fixed(plan.step_s, 3)
        << " s where all workers are as quick: " << fixed(plan.tiles_per_second, 1)
        << " tiles a second.\n"
        << (plan.idle.empty() ? "" : plan.idle + ".\n") << '\n';
    out << "Memory of a rank at its peak in MB (it has " << bare(std::int64_t(plan.room))
        << " MB):\n";
    row(out, "", {"weights", "sums", "moments", "mean", "saved", "buffers", "other", "all"});
    for (const ServedRanks& ranks : plan.ranks) {
        const planner::RankMemory& m = ranks.memory;
        const std::int64_t other = m.loader + m.scratch + m.staging + m.process;
        row(out, name_of(ranks),
            {bare(m.nets.parameters), bare(m.nets.gradients), bare(m.nets.moments),
             bare(m.nets.mean), bare(m.activations), bare(m.messages), bare(other), bare(m.sum())});
    }
    out << "\nSent by a rank to others in a step, in MB:\n";
    row(out, "", {"gradients", "weights"});
    for (const ServedRanks& ranks : plan.ranks)
        row(out, name_of(ranks),
            {bare(ranks.sent.gradients), bare(ranks.sent.weights),
             "  " + work_of(plan.job, ranks)});
    if (!plan.told.empty()) out << '\n' << plan.told << '\n';
    return out.str();
}

}  // namespace civitas::strategy
