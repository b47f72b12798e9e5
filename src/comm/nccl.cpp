#include "nccl.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/process.hpp"
#include "civitas/comm/agree.hpp"

#include <c10/core/Event.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <array>
#include <cstdlib>
#include <exception>
#include <map>
#include <thread>

namespace civitas::comm {
namespace {

void check(ncclResult_t code, const char* call, ncclComm_t comm = nullptr) {
    if (code == ncclSuccess || code == ncclInProgress) return;
    throw Error(text(call, ": ", ncclGetErrorString(code), ": ", ncclGetLastError(comm)),
                Hint{"NCCL_DEBUG=INFO tells more"});
}

/// What other ranks or the network did to it since.
ncclResult_t checked_state(ncclComm_t comm) {
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError", comm);
    check(state, "NCCL", comm);
    return state;
}

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

/// The stream that carries all messages of a rank, beside the one that computes.
class CommStream {
public:
    explicit CommStream(at::Device device)
        : device_(device), stream_(c10::cuda::getStreamFromPool(true, device.index())) {}

    [[nodiscard]] cudaStream_t raw() const { return stream_.stream(); }
    [[nodiscard]] bool idle() const { return stream_.query(); }
    /// What has been computed so far comes before what travels from now on.
    void after_computing() const {
        c10::Event computed(c10::DeviceType::CUDA);
        computed.record(computing());
        computed.block(stream_);
    }
    /// What travels now; computing may wait for it.
    [[nodiscard]] c10::Event mark() const {
        c10::Event event(c10::DeviceType::CUDA);
        event.record(stream_);
        return event;
    }
    void let_compute_wait(const c10::Event& event) const { event.block(computing()); }
    /// Its memory is given to nobody else before what travels now is done.
    void keep(const at::Tensor& tensor) const {
        c10::cuda::CUDACachingAllocator::recordStream(tensor.storage().data_ptr(), stream_);
    }

private:
    [[nodiscard]] c10::cuda::CUDAStream computing() const {
        return c10::cuda::getCurrentCUDAStream(device_.index());
    }
    at::Device device_;
    c10::cuda::CUDAStream stream_;
};

/// Sends and receives of one group; those between begin and end make progress together.
class Group {
public:
    Group(ncclComm_t comm, const CommStream& stream) : comm_(comm), stream_(stream) {
        check(ncclGroupStart(), "ncclGroupStart");
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    Group(Group&&) = delete;
    Group& operator=(Group&&) = delete;
    /// After an error: what follows must not land in this group.
    ~Group() {
        if (open_) (void)ncclGroupEnd();
    }
    void send(const at::Tensor& data, int to) const {
        if (data.numel() == 0) return;
        check(ncclSend(data.const_data_ptr(), data.nbytes(), ncclUint8, to, comm_, stream_.raw()),
              "ncclSend", comm_);
    }
    void receive(const at::Tensor& data, int from) const {
        if (data.numel() == 0) return;
        check(
            ncclRecv(data.mutable_data_ptr(), data.nbytes(), ncclUint8, from, comm_, stream_.raw()),
            "ncclRecv", comm_);
    }
    void end() {
        open_ = false;
        check(ncclGroupEnd(), "ncclGroupEnd", comm_);
    }

private:
    ncclComm_t comm_;
    const CommStream& stream_;
    bool open_ = true;
};

class NcclExchange final : public TensorCollectives {
public:
    NcclExchange(const Communicator& axis, const CommStream& stream)
        : TensorCollectives(axis), stream_(stream), comm_(opened(axis)) {}

private:
    [[nodiscard]] at::Tensor do_all_to_all_slices(const at::Tensor& flat,
                                                  const std::vector<Range>& slices) const override {
        const Range mine = own(slices);
        at::Tensor rows = flat.new_empty({size(), mine.count});
        rows.select(0, me()).copy_(part(flat, mine));
        together({flat, rows}, [&](const Group& group, int other) {
            group.send(part(flat, slices.at(static_cast<std::size_t>(other))), other);
            group.receive(rows.select(0, other), other);
        });
        return rows;
    }

    void do_all_gather_slices(const at::Tensor& flat,
                              const std::vector<Range>& slices) const override {
        together({flat}, [&](const Group& group, int other) {
            group.send(part(flat, own(slices)), other);
            group.receive(part(flat, slices.at(static_cast<std::size_t>(other))), other);
        });
    }

    [[nodiscard]] int me() const { return index(rank()); }

    template <class WithOther>
    void together(const std::vector<at::Tensor>& tensors, const WithOther& with) const {
        stream_.after_computing();
        Group group(comm_.get(), stream_);
        for (int other = 0; other < size(); ++other)
            if (other != me()) with(group, other);
        group.end();
        for (const at::Tensor& tensor : tensors) stream_.keep(tensor);
        stream_.let_compute_wait(stream_.mark());
        (void)checked_state(comm_.get());
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
    [[nodiscard]] std::string name() const override {
        int version = 0;
        check(ncclGetVersion(&version), "ncclGetVersion");
        return text("NCCL ", version / 10000, '.', version / 100 % 100, '.', version % 100);
    }

private:
    CommStream stream_;
};

std::string host() {
    const char* id = std::getenv("NCCL_HOSTID");
    return id == nullptr ? host_name() : id;
}

}  // namespace

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
