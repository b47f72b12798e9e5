#include "support/tensor.hpp"

#include "civitas/tasks/pipe_view.hpp"
#include "civitas/tasks/together.hpp"
#include "support/agree.hpp"

#include <ATen/ops/full.h>

using namespace civitas;
using namespace civitas::tasks;

namespace {

constexpr int rounds = 3;

/// Where a rank fails in a round.
enum class At { nowhere, begin, before_meeting, after_message };

struct FailingRound {
    At at = At::nowhere;
    int round = 0;
};

std::vector<MeshShape> shapes_of(int ranks) {
    std::vector<MeshShape> shapes;
    for (const Axis axis : all_axes) shapes.push_back({{axis, ranks}});
    if (ranks != 4) return shapes;
    for (const Axis one : all_axes)
        for (const Axis other : all_axes)
            if (one < other) shapes.push_back({{one, 2}, {other, 2}});
    return shapes;
}

/// By host memory, but who waits is not reached.
class Deaf final : public comm::Backend {
    [[nodiscard]] std::unique_ptr<comm::TensorCollectives> collectives(
        const comm::Communicator& axis) const override {
        return std::make_unique<comm::MpiCollectives>(axis);
    }
    [[nodiscard]] std::unique_ptr<comm::PointToPoint> transport(
        const comm::Communicator& axis) const override {
        return std::make_unique<comm::MpiPointToPoint>(axis);
    }
    [[nodiscard]] std::string name() const override { return "host memory"; }
};

/// Rounds of an exchange along the tensor axis and of a message along the pipe.
class Work {
public:
    explicit Work(const comm::Mesh& mesh) : mesh_(mesh) {}

    /// Returns whether this rank has seen all rounds through.
    bool run(FailingRound mine) {
        int through = 0;
        do_together(mesh_, [&](const Meet& meet) {
            for (int round = 0; round < rounds; ++round) {
                const At at = round == mine.round ? mine.at : At::nowhere;
                fail_at(At::begin, at);
                exchange(round);
                fail_at(At::before_meeting, at);
                meet();
                CHECK(mesh_.group(Axis::pipe).broadcast(round) == round);
                fail_at(At::after_message, at);
                ++through;
            }
        });
        return through == rounds;
    }

private:
    static void fail_at(At here, At at) {
        if (at == here) throw Error("no memory");
    }
    void exchange(int round) const {
        const auto& tensor = mesh_.collectives(Axis::tensor);
        std::vector<Range> slices;
        for (int r = 0; r < tensor.size(); ++r) slices.push_back({r, 1});
        const at::Tensor all = at::full({tensor.size()}, -1);
        comm::part(all, tensor.own(slices)).fill_(round);
        tensor.all_gather_slices(all, slices);
        CHECK(all.eq(round).all().item<bool>());
    }

    const comm::Mesh& mesh_;
};

void check_fails_together(const comm::Mesh& mesh) {
    const auto& world = mesh.world();
    const int last = world.size() - 1;
    const bool is_last = index(world.rank()) == last;
    const std::string place =
        text("rank ", last, ": at ", to_string(mesh.shape().coordinate(Rank{last})), ": ");
    const std::string cause = (last > 0 ? place : "") + "no memory";
    Work work(mesh);
    for (const At at : {At::begin, At::before_meeting, At::after_message})
        for (int round = 0; round < rounds; ++round) {
            INFO(to_string(mesh.shape())
                 << ", place " << static_cast<int>(at) << ", round " << round);
            const FailingRound failing{at, round};
            CHECK_THROWS_WITH(work.run(is_last ? failing : FailingRound{}), cause);
            CHECK_THROWS_AS(work.run(is_last           ? failing
                                     : world.is_root() ? FailingRound{At::before_meeting, 1}
                                                       : FailingRound{}),
                            AgreedError);
            CHECK(work.run({}));
        }
}

}  // namespace

TEST_CASE("an error between steps is everybody's, however the ranks are laid out") {
    const auto world = comm::Communicator::world();
    for (const MeshShape shape : shapes_of(world.size()))
        check_fails_together(comm::Mesh(world, shape));
}

TEST_CASE("ranks that cannot be reached where they wait are met along the pipe and the data axis") {
    const auto world = comm::Communicator::world();
    for (const MeshShape shape : shapes_of(world.size()))
        if (shape[Axis::tensor] == 1)
            check_fails_together({world, shape, std::make_unique<Deaf>()});
}

TEST_CASE("along the tensor axis a rank that cannot reach the others has to end the job") {
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    const comm::Mesh mesh(world, MeshShape{{Axis::tensor, world.size()}}, std::make_unique<Deaf>());
    try {
        do_together(mesh, [](const Meet&) { throw Error("no memory"); });
        FAIL("nothing was thrown");
    } catch (const AgreedError&) {
        FAIL("the others were met");
    } catch (const Error& e) {
        CHECK(std::string(e.what()) == "no memory");
    }
}
