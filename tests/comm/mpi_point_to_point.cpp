#include "support/tensor.hpp"

#include "civitas/comm/mpi_point_to_point.hpp"

#include "neighbour.hpp"
#include "support/agree.hpp"

using namespace civitas;
using comm::Communicator;
using comm::MpiPointToPoint;
using comm::Tag;
using test::beside;

namespace {

at::Tensor counting_from(int first) { return at::arange(first, first + 100000); }

}  // namespace

TEST_CASE("messages arrive whole, in any order of asking") {
    const auto world = Communicator::world();
    MpiPointToPoint mailbox(world);
    const Rank next = beside(world, 1);
    const Rank before = beside(world, -1);
    for (int tag = 0; tag < 5; ++tag)
        mailbox.send(next, Tag{tag}, counting_from(1000 * index(world.rank()) + tag));
    for (int tag = 0; tag < 5; ++tag)
        mailbox.post_receive(before, Tag{tag}, at::zeros({100000}, at::kLong));
    for (int tag = 5; tag-- > 0;) {
        CHECK(mailbox.is_posted(before, Tag{tag}));
        const auto got = mailbox.wait(before, Tag{tag});
        CHECK(got.equal(counting_from(1000 * index(before) + tag)));
        CHECK_FALSE(mailbox.is_posted(before, Tag{tag}));
    }
    mailbox.flush();
    CHECK(mailbox.bytes_sent() == 5 * 100000 * 8);
}

TEST_CASE("equal tags arrive in the order they left") {
    const auto world = Communicator::world();
    MpiPointToPoint mailbox(world);
    const Rank next = beside(world, 1);
    const Rank before = beside(world, -1);
    for (int i = 0; i < 4; ++i) mailbox.send(next, Tag{7}, at::full({3000}, i, at::kFloat));
    for (int i = 0; i < 4; ++i) {
        mailbox.post_receive(before, Tag{7}, at::zeros({3000}));
        CHECK(mailbox.wait(before, Tag{7}).eq(i).all().item<bool>());
    }
    mailbox.flush();
}

TEST_CASE("channels-last tensors keep their layout, empty ones their shape") {
    const auto world = Communicator::world();
    MpiPointToPoint mailbox(world);
    const Rank next = beside(world, 1);
    const Rank before = beside(world, -1);
    const auto like =
        at::TensorOptions().dtype(at::kFloat).memory_format(at::MemoryFormat::ChannelsLast);
    const auto image = at::arange(2 * 3 * 4 * 5, at::kFloat)
                           .view({2, 3, 4, 5})
                           .contiguous(at::MemoryFormat::ChannelsLast);
    mailbox.send(next, Tag{1}, image);
    mailbox.send(next, Tag{2}, at::empty({0, 3, 4, 5}, like));
    mailbox.post_receive(before, Tag{1}, at::empty({2, 3, 4, 5}, like));
    mailbox.post_receive(before, Tag{2}, at::empty({0, 3, 4, 5}, like));
    CHECK(mailbox.wait(before, Tag{2}).size(0) == 0);
    CHECK(mailbox.wait(before, Tag{1}).equal(image));
    mailbox.flush();
}

// The meta device holds no values, so MPI cannot have written there.
TEST_CASE("a message for a device's memory goes through the host's") {
    const auto world = Communicator::world();
    MpiPointToPoint mailbox(world);
    const Rank next = beside(world, 1);
    const Rank before = beside(world, -1);
    mailbox.send(next, Tag{1}, at::full({3000}, 1, at::kFloat));
    mailbox.post_receive(before, Tag{1}, at::empty({3000}, at::TensorOptions(at::kMeta)));
    const auto got = mailbox.wait(before, Tag{1});
    CHECK((got.is_meta() && got.size(0) == 3000));
    mailbox.flush();
}

TEST_CASE("what was expected and never came is given up") {
    const auto world = Communicator::world();
    {
        MpiPointToPoint mailbox(world);
        mailbox.post_receive(beside(world, 1), Tag{3}, at::zeros({10}));
    }
    world.barrier();
    MpiPointToPoint mailbox(world);
    CHECK_FALSE(mailbox.is_posted(beside(world, 1), Tag{3}));
}
