#include "support/tensor.hpp"

#include "civitas/comm/mesh.hpp"
#include "civitas/comm/wait_observer.hpp"

#include <chrono>
#include <thread>

using namespace civitas;
using namespace civitas::comm;

namespace {

class Listener final : public WaitObserver {
public:
    std::vector<RankRow> begun;
    std::int64_t open = 0;

    void begin_wait(const RankRow& ranks) override {
        begun.push_back(ranks);
        ++open;
    }
    void end_wait() override { --open; }
    /// What was told since it was last asked.
    std::vector<RankRow> told() {
        CHECK(open == 0);
        return std::exchange(begun, {});
    }
};

}  // namespace

TEST_CASE("waits are told with the ranks as the job counts them, whatever was made of what") {
    const auto world = Communicator::world();
    const int n = world.size();
    const RankRow all{0, 1, n};
    const Communicator half = world.split(index(world.rank()) % 2, index(world.rank()));
    const RankRow mine{index(world.rank()) % 2, 2, half.size()};
    CHECK(half.rank_in_job(half.rank()) == world.rank());
    Listener listener;
    half.observe_waits(&listener);
    world.barrier();
    (void)world.max(std::int64_t{1});
    CHECK((listener.told() == (n > 1 ? std::vector(2, all) : std::vector<RankRow>())));
    (void)half.dup().all(true);
    const auto told = listener.told();
    CHECK(told.size() == (half.size() > 1 ? 2 : 0));
    for (const RankRow& row : told) CHECK(row == mine);
    (void)Communicator::self().max(std::int64_t{1});
    CHECK(listener.told().empty());
    half.observe_waits(nullptr);
    world.barrier();
    CHECK(listener.told().empty());
}

TEST_CASE("who waits for a message tells whose, and one that is there is not waited for") {
    const auto world = Communicator::world();
    if (world.size() < 2) return;
    MpiPointToPoint mail(world);
    const at::Tensor data = at::ones({4});
    const auto waits_of_second = [&](std::chrono::milliseconds late) {
        Listener listener;
        if (world.rank() == Rank{1}) mail.post_receive(Rank{0}, Tag{1}, data);
        world.barrier();
        std::this_thread::sleep_for(world.is_root() ? late : -late);
        if (world.is_root()) mail.send(Rank{1}, Tag{1}, data);
        world.observe_waits(&listener);
        if (world.rank() == Rank{1}) (void)mail.wait(Rank{0}, Tag{1});
        world.observe_waits(nullptr);
        mail.flush();
        world.barrier();
        return listener.told();
    };
    // The second rank may be slow itself: once it was early, it has waited.
    std::vector<RankRow> told;
    for (int trial = 1; trial <= 30 && !world.any(!told.empty()); ++trial)
        told = waits_of_second(std::chrono::milliseconds(5 * trial));
    if (world.rank() == Rank{1}) CHECK((told == std::vector{row_of(Rank{0})}));
    if (world.rank() == Rank{1}) mail.post_receive(Rank{0}, Tag{1}, data);
    if (world.is_root()) mail.send(Rank{1}, Tag{1}, data);
    mail.flush();
    world.barrier();
    for (int i = 0; i < 100; ++i) mail.progress();
    Listener listener;
    world.observe_waits(&listener);
    if (world.rank() == Rank{1}) (void)mail.wait(Rank{0}, Tag{1});
    world.observe_waits(nullptr);
    CHECK(listener.told().empty());
}
