#include "support/tensor.hpp"

#include "civitas/comm/collectives.hpp"

#include "civitas/comm/backend.hpp"

#include "slices.hpp"
#include "support/agree.hpp"

using namespace civitas;
using comm::Communicator;
using comm::MpiCollectives;
using test::slices_for;

namespace {

at::Tensor numbers_of(int rank, const std::vector<Range>& slices) {
    return at::arange(slices.back().end() + 3, at::kDouble).add(1e6 * rank).to(at::kFloat);
}

}  // namespace

TEST_CASE("everybody gets the own slice of all, and all get all slices") {
    const auto world = Communicator::world();
    const int me = index(world.rank());
    const auto slices = slices_for(world.size());
    const Range mine = slices[static_cast<std::size_t>(me)];
    const MpiCollectives exchange(world);
    const auto rows = exchange.all_to_all_slices(numbers_of(me, slices), slices);
    REQUIRE(std::ssize(rows) == world.size());
    for (int r = 0; r < world.size(); ++r)
        CHECK(rows[static_cast<std::size_t>(r)].equal(
            numbers_of(r, slices).narrow(0, mine.begin, mine.count)));

    const auto flat = numbers_of(me, slices);
    exchange.all_gather_slices(flat, slices);
    auto wanted = numbers_of(me, slices);
    for (int r = 0; r < world.size(); ++r) {
        const Range theirs = slices[static_cast<std::size_t>(r)];
        wanted.narrow(0, theirs.begin, theirs.count)
            .copy_(numbers_of(r, slices).narrow(0, theirs.begin, theirs.count));
    }
    CHECK(flat.equal(wanted));
}

namespace {

/// What everybody has when the ranks' slices of their numbers_of(rank + 10 * what) were gathered.
at::Tensor gathered(int me, int ranks, int what) {
    const auto slices = slices_for(ranks);
    auto flat = numbers_of(me + 10 * what, slices);
    for (int r = 0; r < ranks; ++r)
        comm::part(flat, slices[static_cast<std::size_t>(r)])
            .copy_(
                comm::part(numbers_of(r + 10 * what, slices), slices[static_cast<std::size_t>(r)]));
    return flat;
}

}  // namespace

TEST_CASE("gatherings go on beside each other and other exchanges, and end in any order") {
    const auto world = Communicator::world();
    const int me = index(world.rank());
    const auto slices = slices_for(world.size());
    const MpiCollectives exchange(world);
    std::vector<at::Tensor> flats;
    std::vector<std::unique_ptr<comm::Gathering>> gatherings;
    for (int what = 0; what < 3; ++what) {
        flats.push_back(numbers_of(me + 10 * what, slices));
        gatherings.push_back(exchange.begin_all_gather_slices(flats.back(), slices));
        exchange.progress();
    }
    const auto rows = exchange.all_to_all_slices(numbers_of(me, slices), slices);
    for (int r = 0; r < world.size(); ++r)
        CHECK(rows[static_cast<std::size_t>(r)].equal(
            comm::part(numbers_of(r, slices), exchange.own(slices))));
    // Who is at an even place ends them in the order 1 2 0, the others in 2 0 1.
    for (int i = 1; i <= 3; ++i) {
        const auto what = static_cast<std::size_t>((i + me % 2) % 3);
        const double before = exchange.seconds();
        gatherings[what]->wait();
        CHECK((exchange.seconds() > before));
        CHECK(flats[what].equal(gathered(me, world.size(), static_cast<int>(what))));
    }
    for (const auto& gathering : gatherings) gathering->finish();
}

TEST_CASE("exchanges go on beside each other, and a rank that is ahead waits for the others") {
    const auto world = Communicator::world();
    const int me = index(world.rank());
    const auto slices = slices_for(world.size());
    const MpiCollectives exchange(world);
    std::vector<std::unique_ptr<comm::AllToAll>> begun;
    for (int what = 0; what < 3; ++what)
        begun.push_back(
            exchange.begin_all_to_all_slices(numbers_of(me + 10 * what, slices), slices));
    if (world.is_root()) begun[0]->start();
    if (!world.is_root())
        for (const auto& one : begun) one->start();
    CHECK((world.size() == 1 || !world.is_root() || !begun[1]->is_there()));
    for (int what = 0; what < 3; ++what) {
        const auto pieces = begun[static_cast<std::size_t>(what)]->wait();
        for (int r = 0; r < world.size(); ++r)
            CHECK(pieces[static_cast<std::size_t>(r)].equal(
                comm::part(numbers_of(r + 10 * what, slices), exchange.own(slices))));
    }
    const auto last = exchange.begin_all_to_all_slices(numbers_of(me, slices), slices);
    last->start();
    while (!last->is_there()) exchange.progress();
    CHECK(std::ssize(last->wait()) == world.size());
}

TEST_CASE("a gathering ends when others that were begun later cannot") {
    const auto world = Communicator::world();
    const bool ahead = world.is_root();
    const std::int64_t large = 300'000;  // does not leave before it is awaited
    std::vector<Range> slices;
    for (int r = 0; r < world.size(); ++r) slices.push_back({r * large, large});
    const MpiCollectives exchange(world);
    const auto begun = [&] {
        return exchange.begin_all_gather_slices(at::empty({world.size() * large}, at::kFloat),
                                                slices);
    };
    const auto first = begun();
    auto second = ahead ? begun() : nullptr;
    first->wait();
    first->finish();
    world.barrier();
    if (!ahead) second = begun();
    second->wait();
    second->finish();
}

TEST_CASE("ranks on the CPU are linked through host memory, and told why") {
    const auto world = Communicator::world();
    const auto backend = comm::choose_backend(world, at::kCPU);
    CHECK(backend->name() ==
          (world.size() == 1 ? "host memory" : "host memory (rank 0 computes on the CPU)"));
    CHECK_FALSE(backend->transport(world)->in_order());
}
