#include "support/tensor.hpp"

#include "civitas/comm/node_collectives.hpp"

#include "civitas/comm/backend.hpp"
#include "slices.hpp"
#include "support/agree.hpp"

#include <optional>

using namespace civitas;
using comm::Communicator;
using comm::NodeCollectives;
using test::slices_for;

namespace {

at::Tensor numbers_of(int rank, std::int64_t count) {
    return at::arange(count, at::kDouble).add(1e6 * rank);
}

/// Machines whose ranks are all together, in pairs with maybe one left over, and each alone.
std::vector<NodeMap> machines(int ranks) {
    std::vector<NodeMap> all{NodeMap::filled(ranks, ranks)};
    if (ranks > 2) all.push_back(NodeMap::filled(ranks, 2));
    all.push_back(NodeMap::filled(ranks, 1));
    return all;
}

void check_exchange(const NodeCollectives& ranks, const at::Tensor& flat) {
    const int me = index(ranks.rank());
    const auto slices = slices_for(ranks.size());
    flat.copy_(numbers_of(me, flat.numel()));
    const auto pieces = ranks.all_to_all_slices(flat, slices);
    REQUIRE(std::ssize(pieces) == ranks.size());
    bool as_sent = true;
    for (int r = 0; r < ranks.size(); ++r)
        as_sent &= at::equal(pieces[static_cast<std::size_t>(r)],
                             comm::part(numbers_of(r, flat.numel()), ranks.own(slices)));
    REQUIRE_ALL(ranks.ranks(), as_sent);
}

/// Two at once, both begun before either is waited for.
void check_begun(const NodeCollectives& ranks, const at::Tensor& flat) {
    const auto slices = slices_for(ranks.size());
    flat.copy_(numbers_of(index(ranks.rank()), flat.numel()));
    const auto first = ranks.begin_all_to_all_slices(flat, slices);
    const auto second = ranks.begin_all_to_all_slices(flat, slices);
    first->start();
    second->start();
    while (!second->is_there()) ranks.progress();
    for (comm::AllToAll* const exchange : {first.get(), second.get()}) {
        const auto pieces = exchange->wait();
        bool as_sent = std::ssize(pieces) == ranks.size();
        for (int r = 0; r < ranks.size(); ++r)
            as_sent &= at::equal(pieces[static_cast<std::size_t>(r)],
                                 comm::part(numbers_of(r, flat.numel()), ranks.own(slices)));
        REQUIRE_ALL(ranks.ranks(), as_sent);
    }
}

void check_gathering(const NodeCollectives& ranks, const at::Tensor& flat) {
    const auto slices = slices_for(ranks.size());
    comm::part(flat, ranks.own(slices)).fill_(index(ranks.rank()) + 1);
    ranks.all_gather_slices(flat, slices);
    bool all_there = true;
    for (int r = 0; r < ranks.size(); ++r)
        all_there &=
            comm::part(flat, slices[static_cast<std::size_t>(r)]).eq(r + 1).all().item<bool>();
    REQUIRE_ALL(ranks.ranks(), all_there);
}

}  // namespace

TEST_CASE("ranks exchange what lies in memory of their nodes, and what does not") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const std::int64_t count = slices_for(world.size()).back().end();
    for (const NodeMap& machine : machines(world.size())) {
        const NodeCollectives ranks(world, machine.node_of(world.rank()), revocation);
        CHECK(*ranks.nodes() == machine);
        const at::Tensor buffer = ranks.exchange_buffer(count + 70, at::kDouble);
        const at::Tensor once = ranks.node_tensor(count, at::kDouble);
        REQUIRE_ALL(world, !buffer.any().item<bool>() && !once.any().item<bool>());
        for (int time = 0; time < 3; ++time) {
            check_exchange(ranks, at::empty({count}, at::kDouble));
            check_exchange(ranks, buffer.narrow(0, 0, count));
            check_exchange(ranks, buffer.narrow(0, 64, count));
            check_begun(ranks, buffer.narrow(0, 64, count));
            check_begun(ranks, at::empty({count}, at::kDouble));
            once.zero_();
            world.barrier();
            check_gathering(ranks, once);
            world.barrier();
            check_gathering(ranks, at::zeros({count}, at::kDouble));
        }
        const double before = ranks.seconds();
        check_gathering(ranks, once);
        CHECK(ranks.seconds() > before);
    }
}

TEST_CASE("a node has its tensor once, and reads pieces of buffers where they lie") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const NodeCollectives ranks(world, 0, revocation);
    const at::Tensor once = ranks.node_tensor(world.size(), at::kLong);
    once[index(world.rank())] = index(world.rank());
    world.barrier();
    REQUIRE_ALL(world, at::equal(once, at::arange(world.size())));

    const at::Tensor buffer = ranks.exchange_buffer(world.size(), at::kLong);
    std::vector<Range> slices;
    for (int r = 0; r < world.size(); ++r) slices.push_back({r, 1});
    const auto pieces = ranks.all_to_all_slices(buffer, slices);
    for (const at::Tensor& piece : pieces) piece.fill_(index(world.rank()) + 5);
    world.barrier();
    REQUIRE_ALL(world, at::equal(buffer, at::arange(world.size()) + 5));
}

TEST_CASE("what has ended its memory is found no more") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const NodeCollectives ranks(world, 0, revocation);
    const std::int64_t count = slices_for(world.size()).back().end();
    for (int time = 0; time < 3; ++time) {
        { const at::Tensor buffer = ranks.exchange_buffer(count, at::kDouble); }
        check_exchange(ranks, at::empty({count}, at::kDouble));
    }
}

TEST_CASE("who waits for a rank of its node hears that one has failed, and all go on") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    comm::Revocation revocation(world);
    for (const NodeMap& machine : machines(world.size())) {
        const NodeCollectives ranks(world, machine.node_of(world.rank()), revocation);
        CHECK(ranks.is_revocable());
        const std::int64_t count = slices_for(world.size()).back().end();
        const at::Tensor buffer = ranks.exchange_buffer(count, at::kDouble);
        check_exchange(ranks, buffer);
        const bool fails = index(world.rank()) == world.size() - 1;
        if (fails)
            revocation.revoke();
        else {
            // One is left alone while another is waited for.
            const auto begun = ranks.begin_all_to_all_slices(buffer, slices_for(world.size()));
            begun->start();
            CHECK_THROWS_AS(ranks.all_to_all_slices(buffer, slices_for(world.size())),
                            comm::Revoked);
        }
        ranks.drain();
        revocation.drain();
        check_exchange(ranks, buffer);
    }
}

TEST_CASE("the data axis shares memory where each of its ranks has another beside it") {
    const auto world = Communicator::world();
    const auto shares = [&](const std::optional<NodeMap>& nodes) {
        const auto backend = comm::choose_backend(world, at::kCPU, nodes);
        return backend->node_collectives(world)->nodes() != nullptr;
    };
    CHECK_FALSE(shares(std::nullopt));
    CHECK_FALSE(shares(NodeMap::filled(world.size(), 1)));
    CHECK(shares(NodeMap::filled(world.size(), world.size())) == (world.size() > 1));
    CHECK(shares(NodeMap::filled(world.size(), 2)) == (world.size() % 2 == 0));
}
