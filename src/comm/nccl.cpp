#include "nccl.hpp"

#include "nccl_group.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/process.hpp"
#include "civitas/comm/agree.hpp"

#include <array>
#include <cstdlib>
#include <exception>
#include <map>
#include <thread>

namespace civitas::comm {
namespace {

using nccl::check;
using nccl::checked_state;
using nccl::CommStream;
using nccl::Group;

/// A group's communicator. When an error ends the run others may never come, so it is broken off.
struct NcclCommTraits {
    using type = ncclComm_t;
    static type null() noexcept { return nullptr; }
    static void destroy(type comm) noexcept {
        (void)(std::uncaught_exceptions() > 0 ? ncclCommAbort(comm) : ncclCommDestroy(comm));
    }
};

ncclUniqueId new_id(const Communicator& ranks) {
    ncclUniqueId id{};
    if (ranks.is_root()) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    return id;
}

/// The root's, on all ranks.
ncclUniqueId shared(ncclUniqueId id, const Communicator& ranks) {
    id = ranks.broadcast(id);
    ranks.barrier();  // without it the next call may hang (NVIDIA/cuDecomp, pull request 24)
    return id;
}

/// A communicator that is made without waiting, and broken off.
struct NcclProbeTraits {
    using type = ncclComm_t;
    static type null() noexcept { return nullptr; }
    static void destroy(type comm) noexcept { (void)ncclCommAbort(comm); }
};

bool is_coming(ncclComm_t comm, const Stopwatch& watch, double most) {
    if (checked_state(comm) != ncclInProgress) return false;
    if (watch.seconds() < most) return true;
    throw Error(text("NCCL did not start within ", most, " s"), Hint{"NCCL_SOCKET_IFNAME=eth0"});
}

/// Starts NCCL once over all ranks of the job. Inside a call that waits, the others would never
/// hear that it failed on one.
void try_out(const Communicator& world, std::chrono::duration<double> patience) {
    const auto id = shared(agree(world, [&] { return new_id(world); }), world);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclComm_t comm = nullptr;
    const auto code = ncclCommInitRankConfig(&comm, world.size(), id, index(world.rank()), &config);
    const Handle<NcclProbeTraits> trial(comm);
    agree(world, [&] { check(code, "ncclCommInitRankConfig", comm); });
    const Stopwatch watch;
    while (world.any(agree(world, [&] { return is_coming(comm, watch, patience.count()); })))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// After try_out(). An error here ends the job: the ranks of other axes know nothing of these.
Handle<NcclCommTraits> opened(const Communicator& ranks) {
    const auto id = shared(new_id(ranks), ranks);
    ncclComm_t comm = nullptr;
    check(ncclCommInitRank(&comm, ranks.size(), id, index(ranks.rank())), "ncclCommInitRank");
    return Handle<NcclCommTraits>(comm);
}

/// Handed over to the GPU at once; what is computed waits for it, and the GPU's allocator keeps the
/// memory until it is done.
class NcclGathering final : public Gathering {
public:
    NcclGathering(const TensorCollectives& by, const CommStream& stream, c10::Event come)
        : Gathering(by), stream_(stream), come_(std::move(come)) {}

private:
    void do_wait() override { stream_.let_compute_wait(come_); }
    void do_finish() override {}

    const CommStream& stream_;
    c10::Event come_;
};

class NcclExchange final : public TensorCollectives {
public:
    NcclExchange(const Communicator& axis, const CommStream& stream)
        : TensorCollectives(axis), stream_(stream), comm_(opened(axis)) {}

private:
    [[nodiscard]] std::vector<at::Tensor> do_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override {
        const Range mine = own(slices);
        at::Tensor rows = flat.new_empty({size(), mine.count});
        rows.select(0, me()).copy_(part(flat, mine));
        stream_.let_compute_wait(together({flat, rows}, [&](const Group& group, int other) {
            group.send(part(flat, slices.at(static_cast<std::size_t>(other))), other);
            group.receive(rows.select(0, other), other);
        }));
        return rows.unbind();
    }

    [[nodiscard]] std::unique_ptr<Gathering> do_begin_all_gather_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override {
        auto come = together({flat}, [&](const Group& group, int other) {
            group.send(part(flat, own(slices)), other);
            group.receive(part(flat, slices.at(static_cast<std::size_t>(other))), other);
        });
        return std::make_unique<NcclGathering>(*this, stream_, std::move(come));
    }

    [[nodiscard]] int me() const { return index(rank()); }

    /// Returns when, on the stream, all of it has come.
    template <class WithOther>
    [[nodiscard]] c10::Event together(const std::vector<at::Tensor>& tensors,
                                      const WithOther& with) const {
        stream_.after_computing();
        Group group(comm_.get(), stream_);
        for (int other = 0; other < size(); ++other)
            if (other != me()) with(group, other);
        group.end();
        for (const at::Tensor& tensor : tensors) stream_.keep(tensor);
        (void)checked_state(comm_.get());
        return stream_.mark();
    }

    const CommStream& stream_;
    Handle<NcclCommTraits> comm_;
};

class NcclTransport final : public PointToPoint {
public:
    NcclTransport(const Communicator& axis, const CommStream& stream)
        : stream_(stream), comm_(opened(axis)) {}

    void send(Rank to, Tag /*tag*/, const at::Tensor& data) override {
        stream_.after_computing();
        Group group(comm_.get(), stream_);
        group.send(data, index(to));
        group.end();
        stream_.keep(data);
        count_sent(to, data);
    }
    void post_receive(Rank from, Tag tag, at::Tensor buffer) override {
        stream_.after_computing();  // the buffer may have been something else's until then
        Group group(comm_.get(), stream_);
        group.receive(buffer, index(from));
        group.end();
        stream_.keep(buffer);
        coming_.emplace(Address{from, tag}, Coming{std::move(buffer), stream_.mark()});
    }
    [[nodiscard]] bool is_posted(Rank from, Tag tag) const override {
        return coming_.contains({from, tag});
    }
    /// What is computed from now on waits for it; this process does not.
    [[nodiscard]] at::Tensor wait(Rank from, Tag tag) override {
        auto node = coming_.extract({from, tag});
        civitas::ensure(!node.empty(), "a message is announced before it is taken");
        stream_.let_compute_wait(node.mapped().come);
        return std::move(node.mapped().buffer);
    }
    void progress() override { (void)checked_state(comm_.get()); }
    void flush() override {
        for (; !stream_.idle(); std::this_thread::yield()) progress();
    }
    void discard() override { coming_.clear(); }
    void drain() override { discard(); }
    [[nodiscard]] bool in_order() const noexcept override { return true; }

private:
    using Address = std::pair<Rank, Tag>;
    struct Coming {
        at::Tensor buffer;
        c10::Event come;
    };
    const CommStream& stream_;
    Handle<NcclCommTraits> comm_;
    std::map<Address, Coming> coming_;
};

class NcclBackend final : public Backend {
public:
    explicit NcclBackend(at::Device device) : stream_(device) {}
    [[nodiscard]] std::unique_ptr<TensorCollectives> collectives(
        const Communicator& axis) const override {
        if (axis.size() == 1) return std::make_unique<MpiCollectives>(axis);
        return std::make_unique<NcclExchange>(axis, stream_);
    }
    [[nodiscard]] std::unique_ptr<PointToPoint> transport(const Communicator& axis) const override {
        return std::make_unique<NcclTransport>(axis, stream_);
    }
    [[nodiscard]] std::string name() const override { return "NCCL " + nccl_version(); }

private:
    CommStream stream_;
};

std::string host() {
    const char* id = std::getenv("NCCL_HOSTID");
    return id == nullptr ? host_name() : id;
}

}  // namespace

std::string cuda_version() {
    int version = 0;
    const auto code = cudaRuntimeGetVersion(&version);
    if (code != cudaSuccess) throw LibraryError("cudaRuntimeGetVersion", cudaGetErrorString(code));
    return text(version / 1000, '.', version % 1000 / 10);
}

std::string nccl_version() {
    int version = 0;
    check(ncclGetVersion(&version), "ncclGetVersion");
    return text(version / 10000, '.', version / 100 % 100, '.', version % 100);
}

std::string gpu_id(at::Device device) {
    std::array<char, 32> bus{};
    const auto code = cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()),
                                            static_cast<int>(device.index()));
    if (code != cudaSuccess) throw LibraryError("cudaDeviceGetPCIBusId", cudaGetErrorString(code));
    return text(host(), '/', bus.data());
}

std::unique_ptr<Backend> nccl_links(const Communicator& world, at::Device device,
                                    std::chrono::duration<double> patience) {
    auto backend = agree(world, [&] { return std::make_unique<NcclBackend>(device); });
    try_out(world, patience);
    return backend;
}

}  // namespace civitas::comm
