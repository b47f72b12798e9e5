// The end of a step on replicas that share a node, two ways with the same end: each rank adds up a
// slice of all gradients where they lie and updates it, in the same pass, in weights that the node
// has once; or MPI_Allreduce and an update of all weights by every rank. Prints the seconds of
// both, round by round in turns, and their ratio.
//
//   mpirun -n 2 --bind-to none bench_node_memory [MILLION_PARAMETERS] [ROUNDS] [JSON]
#include "civitas/base/clock.hpp"
#include "civitas/base/median.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/node_collectives.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/optim/updater.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/sin.h>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <vector>

namespace {

using namespace civitas;

/// Weights of a net, and who updates them.
class Net {
public:
    Net(std::int64_t parameters, optim::UpdaterOptions options)
        : layout_({{"weight", {parameters / 64, 64}, net::Initializer::zero}}),
          weights_(optim::shares_weights(options)
                       ? optim::ArenaShard(layout_,
                                           options.data->node_tensor(layout_.size(), at::kFloat))
                       : optim::ArenaShard(layout_, net::all_of(layout_), at::kFloat, at::kCPU)),
          updater_(optim::make_updater({layout_, weights_}, {{0, 1}}, options)) {}

    /// Seconds of the sum and the update of a leaf that is there.
    double step(const comm::Communicator& ranks) {
        updater_->restart();
        const at::Tensor leaf = updater_->leaf(0).front();
        leaf.copy_(at::arange(leaf.numel(), at::kFloat)
                       .mul_(1 + ++steps_ + 10 * index(ranks.rank()))
                       .sin_()
                       .view(leaf.sizes()));
        updater_->push(0);
        ranks.barrier();
        const Stopwatch watch;
        updater_->reduce();
        if (!updater_->is_finite()) throw Error("a sum of sines is not finite");
        updater_->step();
        return ranks.max(watch.seconds());
    }
    [[nodiscard]] const at::Tensor& weights() const { return weights_.flat(); }

private:
    net::ArenaLayout layout_;
    optim::ArenaShard weights_;
    std::unique_ptr<optim::Updater> updater_;
    int steps_ = 0;
};

void run(const comm::Communicator& world, double millions, int rounds, const std::string& json) {
    at::set_num_threads(1);
    const comm::Revocation revocation(world);
    const comm::NodeCollectives together(world, 0, revocation);
    const comm::MpiCollectives apart(world);
    const auto parameters = static_cast<std::int64_t>(millions * 1e6);
    Net shared(parameters,
               {.optimizer = {}, .leaves = {1, 1}, .node_memory = true, .data = &together});
    Net replicated(
        parameters,
        {.optimizer = {}, .leaves = {1, 1}, .reduction = Reduction::fast, .data = &apart});
    std::vector<double> ours, theirs;
    for (int round = 0; round <= rounds; ++round) {
        const double a = shared.step(world), b = replicated.step(world);
        if (round == 0) continue;  // pages are there only now
        ours.push_back(a);
        theirs.push_back(b);
        if (world.is_root())
            std::cout << "round " << round << ": " << a << " s, MPI_Allreduce " << b << " s, "
                      << b / a << " times as long\n";
    }
    // A sum of two has no order.
    const bool same = world.size() == 2 ? at::equal(shared.weights(), replicated.weights())
                                        : at::allclose(shared.weights(), replicated.weights());
    if (!world.all(same)) throw Error("the two ways end with other weights");
    if (!world.is_root()) return;
    const double ratio = median(theirs) / median(ours);
    std::cout << world.size() << " ranks, " << millions << " M parameters: median " << median(ours)
              << " s, MPI_Allreduce and replicated Adam " << median(theirs) << " s, " << ratio
              << " times as long\n";
    if (json.empty()) return;
    std::ofstream(json) << "{\"ranks\": " << world.size() << ", \"parameters\": " << parameters
                        << ", \"shared_s\": " << median(ours)
                        << ", \"allreduce_s\": " << median(theirs) << ", \"ratio\": " << ratio
                        << "}\n";
}

}  // namespace

int main(int argc, char** argv) {
    return comm::run_session(argc, argv, [&] {
        const double millions = argc > 1 ? std::atof(argv[1]) : 32.2;
        const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
        std::cout << std::setprecision(3);
        run(comm::Communicator::world(), millions, rounds, argc > 3 ? argv[3] : "");
        return Exit::done;
    });
}
