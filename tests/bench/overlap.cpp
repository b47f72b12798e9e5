// The backward pass and the sums of two ranks that count as two nodes, with sums that go on behind
// the pass and with all of them after it, in turns. Prints what share of the sums' time is hidden.
//
// mpirun -n 2 --bind-to none --mca btl tcp,self bench_overlap [MILLIONS [ROUNDS [MS [LEVEL
// [JSON]]]]]
//
// MILLIONS: parameters in 12 convolutions; MS: milliseconds that each of a convolution's B and W
// computes; LEVEL: a shard level at which ranks have the weights whole.
#include "civitas/base/clock.hpp"
#include "civitas/base/median.hpp"
#include "civitas/comm/revocation.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/optim/updater.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <vector>

namespace {

using namespace civitas;

/// Each a convolution's weights, a norm and an activation, as in the nets that are trained.
constexpr std::int64_t blocks = 12;
constexpr std::int64_t layers = 3 * blocks;
constexpr std::int64_t norm = 256;

bool computes(std::size_t layer) { return layer % 3 == 0; }

net::ArenaLayout layout_of(std::int64_t parameters) {
    std::vector<net::ParameterSpec> all;
    for (std::int64_t i = 0; i < blocks; ++i) {
        all.push_back(
            {"weight" + std::to_string(i), {parameters / blocks / 64, 64}, net::Initializer::zero});
        all.push_back({"norm" + std::to_string(i), {norm}, net::Initializer::zero});
    }
    return net::ArenaLayout(all);
}

std::vector<Range> slots_of_layers() {
    std::vector<Range> all;
    for (std::int64_t i = 0; i < blocks; ++i) {
        all.push_back({2 * i, 1});
        all.push_back({2 * i + 1, 1});
        all.push_back({2 * i + 2, 0});
    }
    return all;
}

/// Computes for so long; the time that others take from this process counts, too.
void compute(double seconds) {
    static const at::Tensor some = at::ones({128, 128});
    const Stopwatch watch;
    while (watch.seconds() < seconds) (void)at::mm(some, some);
}

class Net {
public:
    Net(std::int64_t parameters, const optim::UpdaterOptions& options)
        : layout_(layout_of(parameters)),
          weights_(layout_, net::all_of(layout_), at::kFloat, at::kCPU),
          updater_(optim::make_updater({layout_, weights_}, slots_of_layers(), options)) {}

    /// Seconds of a backward pass and the sum that follows.
    double step(const comm::Communicator& ranks, double seconds_of_layer) {
        updater_->restart();
        ++steps_;
        ranks.barrier();
        const Stopwatch watch;
        for (std::size_t layer = layers; layer-- > 0;) {
            if (computes(layer)) compute(seconds_of_layer);
            updater_->progress();
            for (const at::Tensor& leaf : updater_->leaf(layer))
                leaf.fill_(0.1 * (steps_ + 10 * index(ranks.rank())) + static_cast<double>(layer));
            if (computes(layer)) compute(seconds_of_layer);
            updater_->push(layer);
            updater_->progress();
        }
        updater_->reduce();
        const double seconds = watch.seconds();
        updater_->step();
        return ranks.max(seconds);
    }
    [[nodiscard]] const at::Tensor& weights() const { return weights_.flat(); }

private:
    net::ArenaLayout layout_;
    optim::ArenaShard weights_;
    std::unique_ptr<optim::Updater> updater_;
    int steps_ = 0;
};

struct Seconds {
    std::vector<double> computed, after, behind;
};

void tell(const Seconds& all, double millions, const std::string& json) {
    const double computed = median(all.computed);
    const double after = median(all.after), behind = median(all.behind);
    const double hidden = (after - behind) / (after - computed);
    std::cout << "| backward pass | with sums after it | with sums behind it | "
                 "hidden |\n"
              << "|---|---|---|---|\n| " << computed << " s | " << after << " s | " << behind
              << " s | " << hidden << " |\n";
    if (!json.empty())
        std::ofstream(json) << "{\"parameters\": " << millions * 1e6
                            << ", \"backward_s\": " << computed << ", \"sums_after_s\": " << after
                            << ", \"sums_behind_s\": " << behind << ", \"hidden\": " << hidden
                            << "}\n";
}

void run(const comm::Communicator& world, double millions, int rounds, double ms, ShardLevel shard,
         const std::string& json) {
    at::set_num_threads(1);
    const auto parameters = static_cast<std::int64_t>(millions * 1e6);
    const comm::Revocation revocation(world);
    const comm::MpiCollectives data(world, &revocation);
    optim::UpdaterOptions options{.optimizer = {}, .leaves = {1, 1}, .shard = shard};
    options.one_pass = false;  // the sums are timed, apart from updates
    Net alone(parameters, options);
    options.data = &data;
    Net behind(parameters, options);
    options.behind = false;
    Net after(parameters, options);
    Seconds all;
    for (int round = 0; round <= rounds; ++round) {
        const double a = alone.step(world, ms / 1e3), b = after.step(world, ms / 1e3),
                     c = behind.step(world, ms / 1e3);
        if (round == 0) continue;  // pages are there only now
        all.computed.push_back(a);
        all.after.push_back(b);
        all.behind.push_back(c);
        if (world.is_root())
            std::cerr << "round " << round << ": " << a << " s, sums after " << b << " s, behind "
                      << c << " s\n";
    }
    if (!world.all(at::equal(after.weights(), behind.weights())))
        throw Error("the two ways end with other weights");
    if (world.is_root()) tell(all, millions, json);
}

}  // namespace

int main(int argc, char** argv) {
    return comm::run_session(argc, argv, [&] {
        const double millions = argc > 1 ? std::atof(argv[1]) : 16;
        const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
        const double ms = argc > 3 ? std::atof(argv[3]) : 20;
        std::cout << std::setprecision(3);
        std::cerr << std::setprecision(3);
        const ShardLevel shard = parse_shard_level(argc > 4 ? argv[4] : "optimizer");
        run(comm::Communicator::world(), millions, rounds, ms, shard, argc > 5 ? argv[5] : "");
        return Exit::done;
    });
}
