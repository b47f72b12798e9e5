#include "civitas/comm/node_map.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "gan_runs.hpp"
#include "support/agree.hpp"

// What fails on one rank ends the step on all of them where they meet, before anything is updated.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

using Table = std::vector<schedule::Action>;
/// After how many actions of its table a rank fails; nothing where it does not.
using Place = std::function<std::optional<std::ptrdiff_t>(const Table&)>;

std::optional<std::ptrdiff_t> nowhere(const Table&) { return std::nullopt; }

/// Fails after so many actions.
class Failure final : public parallel::ActionObserver {
public:
    explicit Failure(std::optional<std::ptrdiff_t> after) : after_(after) {}
    void begin(const schedule::Action& /*action*/) override { fail_if_due(); }
    void waiting_for(PipeCoordinate /*coordinate*/) override {}
    void end(const schedule::Action& /*action*/, double /*waited_s*/) override {
        ++done_;
        fail_if_due();
    }

private:
    void fail_if_due() const {
        if (done_ == after_) throw Error("no memory");
    }
    std::optional<std::ptrdiff_t> after_;
    std::ptrdiff_t done_ = 0;
};

Place after_share(double share) {
    return [=](const Table& table) {
        return static_cast<std::ptrdiff_t>(share * static_cast<double>(table.size()));
    };
}

/// Between the sum of a net's gradients and its update, for which the others wait.
Place after_sum(schedule::NetId net) {
    return [=](const Table& table) {
        const auto sum = std::find_if(table.begin(), table.end(), [&](const schedule::Action& a) {
            return a.net == net && a.kind == schedule::Kind::reduce;
        });
        return std::next(sum) - table.begin();
    };
}

/// Exchanges of which one fails before it begins: the next when none are left.
class FailingCollectives final : public comm::TensorCollectives {
public:
    FailingCollectives(const comm::Communicator& axis,
                       std::unique_ptr<comm::TensorCollectives> exchanges, std::optional<int>& left)
        : comm::TensorCollectives(axis), exchanges_(std::move(exchanges)), left_(left) {}
    [[nodiscard]] bool is_revocable() const noexcept override { return exchanges_->is_revocable(); }
    void drain() const override { exchanges_->drain(); }
    void progress() const override { exchanges_->progress(); }
    [[nodiscard]] const NodeMap* nodes() const noexcept override { return exchanges_->nodes(); }
    [[nodiscard]] at::Tensor exchange_buffer(std::int64_t elements,
                                             at::ScalarType type) const override {
        return exchanges_->exchange_buffer(elements, type);
    }
    [[nodiscard]] at::Tensor node_tensor(std::int64_t elements,
                                         at::ScalarType type) const override {
        return exchanges_->node_tensor(elements, type);
    }

private:
    [[nodiscard]] std::vector<at::Tensor> do_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override {
        fail_if_due();
        return exchanges_->all_to_all_slices(flat, slices);
    }
    [[nodiscard]] std::unique_ptr<comm::AllToAll> do_begin_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override {
        fail_if_due();
        return exchanges_->begin_all_to_all_slices(flat, slices);
    }
    [[nodiscard]] std::unique_ptr<comm::Gathering> do_begin_all_gather_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override {
        fail_if_due();
        return exchanges_->begin_all_gather_slices(flat, slices);
    }
    void fail_if_due() const {
        if (left_ && (*left_)-- == 0) throw Error("no memory");
    }
    std::unique_ptr<comm::TensorCollectives> exchanges_;
    std::optional<int>& left_;
};

/// The backend of a CPU, whose exchanges along the axes fail when `left`, if there is a number, has
/// been counted down.
class FailingBackend final : public comm::Backend {
public:
    FailingBackend(const comm::Communicator& world, std::optional<int>& left)
        : backend_(comm::choose_backend(world, at::kCPU, comm::node_map(world))), left_(left) {}
    [[nodiscard]] std::unique_ptr<comm::TensorCollectives> collectives(
        const comm::Communicator& axis) const override {
        return std::make_unique<FailingCollectives>(axis, backend_->collectives(axis), left_);
    }
    [[nodiscard]] std::unique_ptr<comm::TensorCollectives> node_collectives(
        const comm::Communicator& axis) const override {
        return std::make_unique<FailingCollectives>(axis, backend_->node_collectives(axis), left_);
    }
    [[nodiscard]] std::unique_ptr<comm::MpiCollectives> mpi_collectives(
        const comm::Communicator& axis) const override {
        return backend_->mpi_collectives(axis);
    }
    [[nodiscard]] std::unique_ptr<comm::PointToPoint> transport(
        const comm::Communicator& axis) const override {
        return backend_->transport(axis);
    }
    [[nodiscard]] bool can_revoke() const override { return backend_->can_revoke(); }
    void revoke() const override { backend_->revoke(); }
    void drain() const override { backend_->drain(); }
    [[nodiscard]] std::string name() const override { return backend_->name(); }

private:
    std::unique_ptr<comm::Backend> backend_;
    std::optional<int>& left_;
};

/// Steps of a run in which the last rank fails.
class Failing {
public:
    Failing(const comm::Communicator& world, planner::Configuration configuration,
            std::unique_ptr<comm::Backend> backend = nullptr)
        : c_(std::move(configuration)),
          ours_(world, c_, std::move(backend)),
          is_first_(world.is_root()),
          is_last_(index(world.rank()) == world.size() - 1),
          steps_(ours_.make_steps(c_, [this] { return next_tile(); })) {}

    void a_tile_cannot_be_read() { unreadable_ = true; }
    void run() {
        steps_.run(StepIndex{0});
        (void)steps_.task().finish();
    }
    /// Makes the leaves of a step once more, as where a gradient went bad is looked for.
    void run_leaves() {
        steps_.run_leaves(StepIndex{0});
        steps_.task().require_read_tiles();
    }
    /// The last rank fails at this place of its table, the first one at another if it is told to.
    void fail_at(const Place& last, const Place& first = nowhere) {
        Failure failure((is_last_ ? last : is_first_ ? first : nowhere)(ours_.table()));
        try {
            steps_.run(StepIndex{0}, &failure);
            (void)steps_.task().finish();
        } catch (const AgreedError& error) {
            steps_.drain_after(error);
            throw;
        }
    }
    [[nodiscard]] StepTask& step() { return steps_.task(); }
    /// All that are held here, as they are now.
    [[nodiscard]] at::Tensor weights() const {
        std::vector<at::Tensor> all;
        for (const auto& net : ours_.models.all())
            for (const auto& [name, array] : net->arrays())
                if (name.find("/parameters/") != std::string::npos)
                    all.push_back(array.view.reshape({-1}));
        return at::cat(all);
    }

private:
    [[nodiscard]] bool is_in_last_row() const {
        return ours_.mesh.coordinate()[Axis::data] == ours_.layout.mesh[Axis::data] - 1;
    }
    at::Tensor next_tile() {
        if (unreadable_ && is_in_last_row() && ++read_ == ours_.own.count())
            throw Error("tile 7 cannot be read");
        return real_tiles(c_, 0);
    }

    planner::Configuration c_;
    Ours ours_;
    bool is_first_, is_last_;
    bool unreadable_ = false;
    int read_ = 0;
    StepExecutor& steps_;
};

planner::Configuration laid_out(const std::string& mesh) {
    planner::Configuration c = small_run();
    c.layout_options.mesh = MeshRequest(mesh);
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

TEST_CASE("a tile that cannot be read while leaves are made once more is told to all ranks") {
    const auto world = comm::Communicator::world();
    Failing run(world, laid_out(text("data=", world.size())));
    CHECK_NOTHROW(run.run_leaves());
    Failing unreadable(world, laid_out(text("data=", world.size())));
    unreadable.a_tile_cannot_be_read();
    CHECK_THROWS_WITH(unreadable.run_leaves(), Catch::Contains("tile 7 cannot be read"));
}

// The last rank fails in the middle of its table, whatever the others wait for then: messages along
// the pipe, exchanges along the tensor axis, moments of batch norms.
TEST_CASE("an error inside the executor ends the step on all ranks, however they are laid out") {
    const auto world = comm::Communicator::world();
    const int n = world.size();
    std::vector<planner::Configuration> runs;
    for (const std::string axis : {"data=", "pipe=", "tensor="})
        runs.push_back(laid_out(text(axis, n)));
    if (n == 4) runs.push_back(laid_out("data=2,tensor=2"));
    if (n == 4) runs.push_back(laid_out("pipe=2,tensor=2"));
    runs.push_back(laid_out(text("data=", n)));
    runs.back().problem.sync_batch_norm = true;
    runs.push_back(laid_out(text("data=", n)));
    runs.back().layout_options.shard = ShardLevel::gradients;
    runs.push_back(laid_out(text("data=", n)));
    runs.back().layout_options.shard = ShardLevel::parameters;
    const std::vector<std::pair<std::string, Place>> places{
        {"at once", after_share(0)},
        {"soon", after_share(0.2)},
        {"after D's sum", after_sum(schedule::gan::discriminator)},
        {"late", after_share(0.8)},
        {"after G's sum", after_sum(schedule::gan::generator)},
        {"at the end", after_share(1)}};
    for (const planner::Configuration& c : runs) {
        Failing undisturbed(world, c);
        undisturbed.run();
        const at::Tensor after = undisturbed.weights();
        for (const auto& [name, place] : places) {
            INFO(c.layout_options.mesh.words()
                 << (c.problem.sync_batch_norm ? ", sync" : "") << ", shard "
                 << to_string(c.layout_options.shard) << ", " << name);
            Failing run(world, c);
            const at::Tensor before = run.weights();
            CHECK_THROWS_WITH(run.fail_at(place), Catch::Contains("no memory"));
            const bool whole = world.all(run.step().state_is_whole());
            CHECK((whole || (name != "at once" && name != "soon")));
            CHECK((world.all(run.weights().equal(before)) || !whole));
            CHECK_NOTHROW(run.run());
            CHECK((world.all(run.weights().equal(after)) || !whole));
        }
        INFO(c.layout_options.mesh.words() << ", two ranks");
        Failing run(world, c);
        CHECK_THROWS_AS(run.fail_at(after_share(0.5), after_share(0.2)), AgreedError);
        CHECK_NOTHROW(run.run());
    }
}

// A sum of D's gradients is two exchanges, and a third gathers it, or where a node has weights
// once, and updates them as it sums, the weights that owners made. One of G's is one, and one to
// gather.
TEST_CASE("an error inside a sum of gradients ends the step on all ranks") {
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    std::vector<planner::Configuration> runs{laid_out(text("data=", world.size()))};
    if (world.size() == 4) runs.push_back(laid_out("data=2,pipe=2"));
    for (std::size_t i = runs.size(); i-- > 0;) {
        runs.push_back(runs[i]);
        runs.back().layout_options.weight_copies = WeightCopies::rank;
    }
    for (const planner::Configuration& c : runs)
        for (int exchange = 0; exchange < 5; ++exchange) {
            const bool gathers_sums = c.layout_options.weight_copies == WeightCopies::rank;
            INFO(c.layout_options.mesh.words() << ", exchange " << exchange << ", weights by "
                                               << to_string(c.layout_options.weight_copies));
            std::optional<int> left;
            Failing run(world, c, std::make_unique<FailingBackend>(world, left));
            const at::Tensor before = run.weights();
            if (index(world.rank()) == world.size() - 1) left = exchange;
            CHECK_THROWS_WITH(run.fail_at(nowhere), Catch::Contains("no memory"));
            left.reset();
            const bool before_update = exchange < (gathers_sums ? 3 : 2);
            // In memory of a node other pairs of the pipe may have summed and updated meanwhile.
            const bool alone =
                gathers_sums || c.layout_options.mesh.words().find("pipe") == std::string::npos;
            const bool whole = world.all(run.step().state_is_whole());
            CHECK((alone || !before_update ? whole == before_update : true));
            CHECK((run.weights().equal(before) || !whole));
            CHECK_NOTHROW(run.run());
        }
}
