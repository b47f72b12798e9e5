#include "gan_runs.hpp"
#include "support/agree.hpp"

// What fails on one rank ends the step on all of them where they meet, before anything is updated.

using namespace civitas;
using namespace civitas::train;
using namespace civitas::train::runs;

namespace {

/// Steps of a run in which the last rank fails.
class Failing {
public:
    Failing(const comm::Communicator& world, Configuration configuration)
        : c_(std::move(configuration)),
          ours_(world, c_),
          is_last_(index(world.rank()) == world.size() - 1),
          step_(ours_.mesh, ours_.setting,
                {c_.task, c_.recipe, parallel::Reduction::tree, ours_.own}, ours_.generator,
                ours_.discriminator, [this] { return next_tile(); }),
          executor_(ours_.generator.parts(), ours_.discriminator.parts(), step_,
                    ours_.pipeline(c_)) {}

    void a_tile_cannot_be_read() { unreadable_ = true; }
    void run() {
        step_.begin(StepIndex{0});
        executor_.run(ours_.table());
        (void)step_.finish();
    }
    /// The last rank fails after this share of its table, as Stepper lets it fail.
    void fail_after(double share) {
        step_.begin(StepIndex{0});
        try {
            run_until_error(share);
            (void)step_.finish();
        } catch (const AgreedError&) {
            ours_.mesh.drain(ours_.transport.get());
            throw;
        }
    }
    [[nodiscard]] TrainingStep& step() { return step_; }
    [[nodiscard]] at::Tensor weights() const {
        return at::cat({ours_.generator.weights().flat(), ours_.discriminator.weights().flat()});
    }

private:
    void run_until_error(double share) {
        const auto& table = ours_.table();
        const auto end = static_cast<std::ptrdiff_t>(share * static_cast<double>(table.size()));
        try {
            if (!is_last_) return executor_.run(table);
            executor_.run({table.begin(), table.begin() + end});
            throw Error("no memory");
        } catch (const comm::Revoked&) {
            step_.leave_together();
        } catch (const AgreedError&) {
            throw;
        } catch (...) {
            step_.fail_together(std::current_exception());
            throw;
        }
    }
    [[nodiscard]] bool is_in_last_row() const {
        return ours_.mesh.here().data == ours_.setting.mesh.data - 1;
    }
    at::Tensor next_tile() {
        if (unreadable_ && is_in_last_row() && ++read_ == ours_.own.count)
            throw Error("tile 7 cannot be read");
        return real_tiles(c_, 0);
    }

    Configuration c_;
    Ours ours_;
    bool is_last_;
    bool unreadable_ = false;
    int read_ = 0;
    TrainingStep step_;
    parallel::Executor executor_;
};

Configuration laid_out(const std::string& mesh) {
    Configuration c = small_run();
    c.layout.mesh = mesh;
    return c;
}

}  // namespace

TEST_CASE("a tile that cannot be read ends the step on all ranks, with the state before it whole") {
    const auto world = comm::Communicator::world();
    for (const std::string& mesh : {text("data=", world.size()), text("pipe=", world.size())}) {
        INFO(mesh);
        Failing run(world, laid_out(mesh));
        const at::Tensor before = run.weights();
        run.a_tile_cannot_be_read();
        CHECK_THROWS_AS(run.run(), AgreedError);
        CHECK(run.step().state_is_whole());
        CHECK(run.weights().equal(before));
    }
}

// The last rank fails in the middle of its table, whatever the others wait for then: messages along
// the pipe, exchanges along the tensor axis, moments of batch norms.
TEST_CASE("an error inside the executor ends the step on all ranks, however they are laid out") {
    const auto world = comm::Communicator::world();
    const int n = world.size();
    std::vector<Configuration> runs;
    for (const std::string axis : {"data=", "pipe=", "tensor="})
        runs.push_back(laid_out(text(axis, n)));
    if (n == 4) runs.push_back(laid_out("data=2,tensor=2"));
    if (n == 4) runs.push_back(laid_out("pipe=2,tensor=2"));
    runs.push_back(laid_out(text("data=", n)));
    runs.back().task.sync_batch_norm = true;
    for (const Configuration& c : runs) {
        for (const double share : {0.0, 0.2, 0.5, 0.8, 1.0}) {
            INFO(c.layout.mesh << (c.task.sync_batch_norm ? ", sync" : "") << ", " << share);
            Failing run(world, c);
            const at::Tensor before = run.weights();
            CHECK_THROWS_WITH(run.fail_after(share), Catch::Contains("no memory"));
            const bool whole = world.all(run.step().state_is_whole());
            CHECK((whole || share > 0.2));
            CHECK((world.all(run.weights().equal(before)) || !whole));
            CHECK_NOTHROW(run.run());
        }
    }
}
