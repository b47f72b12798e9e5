#include "support/tensor.hpp"

#include "civitas/comm/collectives.hpp"

#include "neighbour.hpp"
#include "support/agree.hpp"

// Every test ends with the same objects at work again: nothing of what was given up is left.

using namespace civitas;
using comm::Communicator;
using comm::MpiCollectives;
using comm::MpiPointToPoint;
using comm::Revocation;
using comm::Revoked;
using comm::Tag;
using test::beside;

namespace {

constexpr std::int64_t large = 300'000;  ///< numbers, which do not leave before they are awaited

bool is_last(const Communicator& world) { return index(world.rank()) == world.size() - 1; }

std::vector<Range> shares(int ranks) {
    std::vector<Range> slices;
    for (int r = 0; r < ranks; ++r) slices.push_back({r * large, large});
    return slices;
}

void check_messages(const Communicator& world, MpiPointToPoint& mailbox) {
    mailbox.send(beside(world, 1), Tag{1}, at::full({large}, index(world.rank()), at::kFloat));
    mailbox.post_receive(beside(world, -1), Tag{1}, at::zeros({large}));
    CHECK(mailbox.wait(beside(world, -1), Tag{1}).eq(index(beside(world, -1))).all().item<bool>());
    mailbox.flush();
}

void check_exchange(const Communicator& world, const MpiCollectives& exchange) {
    const auto slices = shares(world.size());
    const auto flat = at::full({large * world.size()}, index(world.rank()), at::kFloat);
    const auto rows = exchange.all_to_all_slices(flat, slices);
    for (int r = 0; r < world.size(); ++r)
        CHECK(rows[static_cast<std::size_t>(r)].eq(r).all().item<bool>());
}

}  // namespace

TEST_CASE("who waits for a message hears that another rank has failed") {
    const auto world = Communicator::world();
    Revocation revocation(world);
    MpiPointToPoint mailbox(world, &revocation);
    CHECK_NOTHROW(revocation.check());
    mailbox.post_receive(beside(world, -1), Tag{3}, at::zeros({large}));
    if (is_last(world))
        revocation.revoke();
    else
        CHECK_THROWS_AS(mailbox.wait(beside(world, -1), Tag{3}), Revoked);
    mailbox.drain();
    revocation.drain();
    CHECK_NOTHROW(revocation.check());
    CHECK_FALSE(mailbox.is_posted(beside(world, -1), Tag{3}));
    check_messages(world, mailbox);
}

TEST_CASE("what was sent to a rank that has failed is swallowed, long and short, awaited or not") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    Revocation revocation(world);
    MpiPointToPoint mailbox(world, &revocation);
    const Rank last{world.size() - 1};
    if (is_last(world)) {
        mailbox.post_receive(Rank{0}, Tag{2}, at::zeros({large}));
        revocation.revoke();
    } else {
        for (int tag = 1; tag < 4; ++tag) mailbox.send(last, Tag{tag}, at::zeros({large}));
        mailbox.send(last, Tag{1}, at::zeros({3}));
        CHECK_THROWS_AS(mailbox.flush(), Revoked);
    }
    mailbox.drain();
    revocation.drain();
    check_messages(world, mailbox);
}

TEST_CASE("an exchange that a rank does not come to ends on the others") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    Revocation revocation(world);
    const MpiCollectives exchange(world, &revocation);
    const auto slices = shares(world.size());
    const auto flat = at::zeros({large * world.size()});
    if (is_last(world)) {
        revocation.revoke();
        revocation.revoke();
    } else {
        CHECK_THROWS_AS(exchange.all_to_all_slices(flat, slices), Revoked);
    }
    exchange.drain();
    revocation.drain();
    check_exchange(world, exchange);
}

TEST_CASE("a gathering that a rank has not begun, or does not end, ends on the others") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    Revocation revocation(world);
    const MpiCollectives exchange(world, &revocation);
    const auto slices = shares(world.size());
    const auto numbers = [&](int what) {
        return at::full({large * world.size()}, index(world.rank()) + what, at::kFloat);
    };
    const auto check_gathering = [&] {
        const auto flat = numbers(1);
        exchange.all_gather_slices(flat, slices);
        for (int r = 0; r < world.size(); ++r)
            CHECK(
                comm::part(flat, slices[static_cast<std::size_t>(r)]).eq(r + 1).all().item<bool>());
    };
    const auto first = exchange.begin_all_gather_slices(numbers(5), slices);
    if (is_last(world)) {
        revocation.revoke();
    } else {
        const auto second = exchange.begin_all_gather_slices(numbers(7), slices);
        CHECK_THROWS_AS(second->wait(), Revoked);
    }
    exchange.drain();
    revocation.drain();
    check_gathering();
    check_exchange(world, exchange);
}

TEST_CASE("all ranks may fail at once") {
    const auto world = Communicator::world();
    Revocation revocation(world);
    revocation.revoke();
    revocation.drain();
    CHECK_NOTHROW(revocation.check());
}
