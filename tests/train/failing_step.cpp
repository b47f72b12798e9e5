#include "gan_runs.hpp"
#include "support/agree.hpp"

// What fails on one rank ends the step on all of them where they meet, before anything is updated.

using namespace civitas;
using namespace civitas::train;
using namespace civitas::train::runs;

namespace {

/// One step of a run in which a rank of the last row fails.
class Failing {
public:
    Failing(const comm::Communicator& world, Configuration configuration)
        : c_(std::move(configuration)),
          ours_(world, c_),
          last_row_(ours_.mesh.here().data == ours_.setting.mesh.data - 1),
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
    /// The last rank leaves its table, the others run theirs.
    void run_or_fail() {
        step_.begin(StepIndex{0});
        if (last_row_)
            step_.fail_together(std::make_exception_ptr(Error("no memory")));
        else
            executor_.run(ours_.table());
    }
    [[nodiscard]] TrainingStep& step() { return step_; }
    [[nodiscard]] at::Tensor weights() const {
        return at::cat({ours_.generator.weights().flat(), ours_.discriminator.weights().flat()});
    }

private:
    at::Tensor next_tile() {
        if (unreadable_ && last_row_ && ++read_ == 2) throw Error("tile 7 cannot be read");
        return real_tiles(c_, 0);
    }

    Configuration c_;
    Ours ours_;
    bool last_row_;
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

TEST_CASE("an error on one replica ends the step on all") {
    const auto world = comm::Communicator::world();
    Failing run(world, laid_out(text("data=", world.size())));
    CHECK_THROWS_WITH(run.run_or_fail(),
                      Catch::Contains(text("rank ", world.size() - 1, ": no memory")));
    CHECK(run.step().state_is_whole());
}

TEST_CASE("where ranks cannot meet, an error stays that of its rank") {
    const auto world = comm::Communicator::world();
    Failing good(world, laid_out(text("data=", world.size())));
    CHECK_NOTHROW(good.run());
    CHECK(good.step().state_is_whole());
    CHECK_NOTHROW(good.step().fail_together(std::make_exception_ptr(Error("after the step"))));
    Failing piped(world, laid_out(text("pipe=", world.size())));
    piped.step().begin(StepIndex{0});
    CHECK_NOTHROW(piped.step().fail_together(std::make_exception_ptr(Error("in a stage"))));
}
