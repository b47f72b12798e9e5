// The NCCL side of the backend, over a pretended NCCL that moves messages by MPI and waits in the
// end of every group until both ends have come.
#include "support/tensor.hpp"

#include "comm/nccl.hpp"

#include "support/pretended/nccl.h"

#include "support/agree.hpp"

using namespace civitas;
using comm::Communicator;
using comm::Tag;

namespace {

at::Tensor numbers_of(int rank, std::int64_t count) {
    return at::arange(count, at::kFloat).add(1e5 * rank);
}

}  // namespace

TEST_CASE("versions of GPU libraries are told in their own numbers") {
    CHECK(comm::cuda_version() == "13.2");
    CHECK(comm::nccl_version() == "2.0.0");
    CHECK(comm::nccl_links(Communicator::world(), at::kCPU)->name() == "NCCL 2.0.0");
}

TEST_CASE("slices by NCCL are those by MPI") {
    const auto world = Communicator::world();
    const int me = index(world.rank());
    std::vector<Range> slices;
    for (int r = 0; r < world.size(); ++r) slices.push_back({3000 * r + r, r == 1 ? 0 : 3000 - r});
    const auto backend = comm::nccl_links(world, at::kCPU);
    const auto ours = backend->collectives(world);
    const comm::MpiCollectives theirs(world);
    const auto a = numbers_of(me, 3001 * world.size());
    const auto b = a.clone();
    CHECK(at::stack(ours->all_to_all_slices(a, slices))
              .equal(at::stack(theirs.all_to_all_slices(b, slices))));
    ours->all_gather_slices(a, slices);
    theirs.all_gather_slices(b, slices);
    CHECK(a.equal(b));
    const auto gathering = ours->begin_all_gather_slices(a.add_(me), slices);
    ours->progress();
    gathering->wait();
    gathering->finish();
    theirs.all_gather_slices(b.add_(me), slices);
    CHECK(a.equal(b));
    CHECK(backend->name() == "NCCL 2.0.0");
}

TEST_CASE("messages by NCCL arrive whole, in their order and layout") {
    const auto world = Communicator::world();
    const int me = index(world.rank());
    if (world.size() == 1) return;
    const Rank next{(me + 1) % world.size()};
    const Rank before{(me + world.size() - 1) % world.size()};
    const auto backend = comm::nccl_links(world, at::kCPU);
    const auto transport = backend->transport(world);
    CHECK(transport->in_order());
    const auto image = [](int rank, int number) {
        return numbers_of(10 * rank + number, 120)
            .view({2, 3, 4, 5})
            .contiguous(at::MemoryFormat::ChannelsLast);
    };
    for (int number = 0; number < 3; ++number) {
        const auto send = [&] { transport->send(next, Tag{number}, image(me, number)); };
        if (me % 2 == 0) send();
        transport->post_receive(before, Tag{number}, at::empty_like(image(0, 0)));
        if (me % 2 == 1) send();
        CHECK(transport->is_posted(before, Tag{number}));
    }
    for (int number = 3; number-- > 0;) {
        const auto got = transport->wait(before, Tag{number});
        CHECK(got.equal(image(index(before), number)));
        CHECK(got.is_contiguous(at::MemoryFormat::ChannelsLast));
        CHECK_FALSE(transport->is_posted(before, Tag{number}));
    }
    transport->flush();
    CHECK(transport->bytes_sent() == 3 * 120 * 4);
}

TEST_CASE("what happens to NCCL later is told at the next poll") {
    const auto world = Communicator::world();
    const auto backend = comm::nccl_links(world, at::kCPU);
    const auto transport = backend->transport(world);
    CHECK_NOTHROW(transport->progress());
    pretend({.later = ncclInternalError});
    CHECK_THROWS_WITH(
        transport->progress(),
        "NCCL: internal error: a cable was pulled. Hint: NCCL_DEBUG=INFO tells more.");
    pretend({});
}

TEST_CASE("where NCCL does not start on one rank all go through host memory, and are told why") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    const at::Device own_gpu(at::kCUDA, static_cast<at::DeviceIndex>(index(world.rank())));
    CHECK(comm::choose_backend(world, own_gpu)->name() == "NCCL 2.0.0");
    pretend({.start = index(world.rank()) == 1 ? ncclInternalError : ncclSuccess});
    const auto backend = comm::choose_backend(world, own_gpu);
    pretend({});
    CHECK(backend->name() ==
          "host memory (NCCL does not start: rank 1: ncclCommInitRankConfig: internal error: a "
          "cable was pulled. Hint: NCCL_DEBUG=INFO tells more.)");
    CHECK_FALSE(backend->transport(world)->in_order());
}

TEST_CASE("NCCL that never starts is given up") {
    const auto world = Communicator::world();
    pretend({.later = index(world.rank()) == 0 ? ncclInProgress : ncclSuccess});
    const std::chrono::milliseconds patience(50);
    CHECK_THROWS_WITH(comm::nccl_links(world, at::kCPU, patience),
                      Catch::Contains("NCCL did not start within 0.05 s") &&
                          Catch::Contains("NCCL_SOCKET_IFNAME"));
    pretend({});
}

TEST_CASE("an error inside a group leaves none open") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    const auto backend = comm::nccl_links(world, at::kCPU);
    const auto exchange = backend->collectives(world);
    std::vector<Range> slices;
    for (int r = 0; r < world.size(); ++r) slices.push_back({r, 1});
    const auto flat = numbers_of(index(world.rank()), world.size());
    pretend({.send = ncclInternalError});
    CHECK_THROWS_WITH(exchange->all_gather_slices(flat, slices), Catch::Contains("ncclSend"));
    pretend({});
    exchange->all_gather_slices(flat, slices);
    for (int r = 0; r < world.size(); ++r)
        CHECK(flat[r].item<float>() == numbers_of(r, world.size())[r].item<float>());
}

TEST_CASE("every group of ranks has its own order") {
    const auto world = Communicator::world();
    const auto backend = comm::nccl_links(world, at::kCPU);
    const auto pairs = world.split(index(world.rank()) / 2, index(world.rank()));
    const auto wide = backend->collectives(world);
    const auto narrow = backend->collectives(pairs);
    const auto share = [](const Communicator& ranks) {
        std::vector<Range> slices;
        for (int r = 0; r < ranks.size(); ++r) slices.push_back({r, 1});
        return slices;
    };
    for (const auto* exchange : {narrow.get(), wide.get(), narrow.get()}) {
        const auto flat = numbers_of(index(world.rank()), exchange->size());
        const auto wanted = flat.clone();
        comm::MpiCollectives(exchange->ranks()).all_gather_slices(wanted, share(exchange->ranks()));
        exchange->all_gather_slices(flat, share(exchange->ranks()));
        CHECK(flat.equal(wanted));
    }
}
