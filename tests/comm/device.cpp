#include "support/tensor.hpp"

#include "civitas/comm/backend.hpp"

#include <ATen/Context.h>

#include "support/agree.hpp"
#include "support/gpu.hpp"

using namespace civitas;
using comm::Backend;
using comm::Communicator;
using comm::Tag;

namespace {

const at::Device gpu(at::kCUDA, 0);

at::Tensor numbers_of(int rank, at::Device device) {
    return at::arange(30000, at::kFloat).add(1e5 * rank).to(device);
}

/// The same slices by `backend` on the GPU and by MPI on the CPU.
void check_exchange(const Communicator& world, const Backend& backend) {
    std::vector<Range> slices;
    for (int r = 0; r < world.size(); ++r) slices.push_back({7000 * r + r, r == 1 ? 0 : 7000});
    const int me = index(world.rank());
    const auto ours = backend.collectives(world);
    const comm::MpiCollectives theirs(world);
    const auto here = numbers_of(me, gpu);
    const auto there = numbers_of(me, at::kCPU);
    const auto rows = at::stack(ours->all_to_all_slices(here, slices));
    CHECK(rows.is_cuda());
    CHECK(rows.cpu().equal(at::stack(theirs.all_to_all_slices(there, slices))));
    ours->all_gather_slices(here, slices);
    theirs.all_gather_slices(there, slices);
    CHECK(here.cpu().equal(there));
}

/// Around a ring; ranks take turns in who begins, as ordered transports need it.
void check_messages(const Communicator& world, const Backend& backend) {
    const int me = index(world.rank());
    const int n = world.size();
    const Rank next{(me + 1) % n};
    const Rank before{(me + n - 1) % n};
    const auto transport = backend.transport(world);
    const auto image = [](int rank) {
        return numbers_of(rank, gpu)
            .view({2, 3, 50, 100})
            .contiguous(at::MemoryFormat::ChannelsLast);
    };
    for (int round = 0; round < 3; ++round) {
        const Tag tag{round};
        const auto send = [&] { transport->send(next, tag, image(me + round)); };
        if (me % 2 == 0) send();
        transport->post_receive(before, tag, at::empty_like(image(0)));
        if (me % 2 == 1) send();
        CHECK(transport->wait(before, tag).equal(image(index(before) + round)));
    }
    transport->flush();
    CHECK(transport->bytes_sent() == 3 * 4 * 30000);
}

}  // namespace

// All ranks share one GPU, which NCCL takes for several when each has a host of its own name.
TEST_CASE("tensors of GPUs arrive whole through host memory and by NCCL") {
    if (!civitas::test::gpu_here("messages were")) return;
    const auto world = Communicator::world();
    unsetenv("NCCL_HOSTID");
    for (const bool nccl : {false, true}) {
        if (nccl) {
            setenv("NCCL_HOSTID", text("rank", index(world.rank())).c_str(), 1);
            setenv("NCCL_SOCKET_IFNAME", "lo", 1);
        }
        const auto backend = comm::choose_backend(world, gpu);
        INFO(backend->name());
        CHECK(
            backend->name().starts_with(nccl ? "NCCL" : "host memory (ranks 0 and 1 share a GPU)"));
        check_exchange(world, *backend);
        check_messages(world, *backend);
    }
}
