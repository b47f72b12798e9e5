#include "civitas/comm/communicator.hpp"

#include "check.hpp"
#include "civitas/comm/waiting.hpp"
#include "pieces.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace civitas::comm {
namespace {

template <class T>
T reduced(T mine, MPI_Datatype type, MPI_Op op, const Communicator& ranks) {
    const Waiting waiting(ranks);
    check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, type, op, ranks.raw()), "MPI_Allreduce");
    return mine;
}

template <class T>
void sum_all(std::span<T> data, MPI_Datatype type, const Communicator& ranks) {
    const Waiting waiting(ranks);
    constexpr std::size_t most = std::size_t{1} << 28;
    for (std::size_t at = 0; at < data.size(); at += most) {
        const auto count = static_cast<int>(std::min(most, data.size() - at));
        check(MPI_Allreduce(MPI_IN_PLACE, data.data() + at, count, type, MPI_SUM, ranks.raw()),
              "MPI_Allreduce");
    }
}

/// Posted sends and receives, completed together.
class Exchange {
public:
    explicit Exchange(MPI_Comm comm) : comm_(comm) {}

    void send(const std::byte* data, std::int64_t bytes, int to) {
        in_pieces(bytes, [&](std::int64_t at, int count) {
            check(MPI_Isend(data + at, count, MPI_BYTE, to, 0, comm_, &next()), "MPI_Isend");
        });
    }
    void receive(std::byte* data, std::int64_t bytes, int from) {
        in_pieces(bytes, [&](std::int64_t at, int count) {
            check(MPI_Irecv(data + at, count, MPI_BYTE, from, 0, comm_, &next()), "MPI_Irecv");
        });
    }
    void complete() {
        check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }

private:
    MPI_Request& next() { return requests_.emplace_back(MPI_REQUEST_NULL); }
    MPI_Comm comm_;
    std::vector<MPI_Request> requests_;
};

/// The ranks of a group, in its order, as the job counts them.
std::vector<Rank> ranks_in_job(MPI_Comm comm, int size) {
    MPI_Group group = MPI_GROUP_NULL, job = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm, &group), "MPI_Comm_group");
    check(MPI_Comm_group(MPI_COMM_WORLD, &job), "MPI_Comm_group");
    std::vector<int> here(static_cast<std::size_t>(size)), there(here.size());
    std::iota(here.begin(), here.end(), 0);
    check(MPI_Group_translate_ranks(group, size, here.data(), job, there.data()),
          "MPI_Group_translate_ranks");
    MPI_Group_free(&group);
    MPI_Group_free(&job);
    std::vector<Rank> ranks;
    for (const int rank : there) ranks.push_back(Rank{rank});
    return ranks;
}

}  // namespace

void CommTraits::destroy(type comm) noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&comm);
}

Communicator::Communicator(MPI_Comm owned, SharedObserver observer)
    : comm_(owned), observer_(std::move(observer)) {
    int rank = 0;
    check(MPI_Comm_rank(owned, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(owned, &size_), "MPI_Comm_size");
    rank_ = Rank{rank};
    ranks_in_job_ = ranks_in_job(owned, size_);
    row_in_job_ = row_of(ranks_in_job_);
}

Communicator Communicator::world() {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(MPI_COMM_WORLD, &copy), "MPI_Comm_dup");
    return {copy, std::make_shared<WaitObserver*>(nullptr)};
}

Communicator Communicator::self() {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(MPI_COMM_SELF, &copy), "MPI_Comm_dup");
    return {copy, std::make_shared<WaitObserver*>(nullptr)};
}

Communicator Communicator::dup() const {
    const Waiting waiting(*this);
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(raw(), &copy), "MPI_Comm_dup");
    return {copy, observer_};
}

Communicator Communicator::split(int color, int key) const {
    const Waiting waiting(*this);
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(raw(), color, key, &part), "MPI_Comm_split");
    return {part, observer_};
}

Communicator Communicator::split_by_machine() const {
    const Waiting waiting(*this);
    MPI_Comm machine = MPI_COMM_NULL;
    check(MPI_Comm_split_type(raw(), MPI_COMM_TYPE_SHARED, index(rank_), MPI_INFO_NULL, &machine),
          "MPI_Comm_split_type");
    return {machine, observer_};
}

void Communicator::barrier() const {
    const Waiting waiting(*this);
    check(MPI_Barrier(raw()), "MPI_Barrier");
}

void Communicator::barrier_at_rest(const std::function<void()>& meanwhile) const {
    MPI_Request all_come = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(raw(), &all_come), "MPI_Ibarrier");
    int come = 0;
    // Who polls almost without a pause takes a fifth of a core from those that compute.
    for (int pause_us = 0; come == 0; pause_us = std::min(pause_us + 20, 10'000)) {
        std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
        meanwhile();
        check(MPI_Test(&all_come, &come, MPI_STATUS_IGNORE), "MPI_Test");
    }
}

bool Communicator::all(bool mine) const {
    return reduced(mine ? 1 : 0, MPI_INT, MPI_MIN, *this) == 1;
}

std::int64_t Communicator::max(std::int64_t mine) const {
    return reduced(mine, MPI_INT64_T, MPI_MAX, *this);
}

std::int64_t Communicator::min(std::int64_t mine) const {
    return reduced(mine, MPI_INT64_T, MPI_MIN, *this);
}

double Communicator::max(double mine) const { return reduced(mine, MPI_DOUBLE, MPI_MAX, *this); }

std::int64_t Communicator::sum(std::int64_t mine) const {
    return reduced(mine, MPI_INT64_T, MPI_SUM, *this);
}

std::uint64_t Communicator::sum(std::uint64_t mine) const {
    return reduced(mine, MPI_UINT64_T, MPI_SUM, *this);
}

void Communicator::sum_in_place(std::span<std::uint64_t> values) const {
    sum_all(values, MPI_UINT64_T, *this);
}

std::string Communicator::broadcast(std::string value, Rank root) const {
    value.resize(broadcast(value.size(), root));
    broadcast(std::span<char>(value), root);
    return value;
}

std::vector<std::string> Communicator::all_gather(const std::string& mine) const {
    const auto sizes = all_gather(mine.size());
    const auto letters = all_gather(std::span<const char>(mine));
    std::vector<std::string> texts;
    auto at = letters.begin();
    for (const std::size_t size : sizes) {
        const auto end = at + static_cast<std::ptrdiff_t>(size);
        texts.emplace_back(at, end);
        at = end;
    }
    return texts;
}

void Communicator::all_reduce_fast(std::span<float> data) const { sum_all(data, MPI_FLOAT, *this); }

void Communicator::all_reduce_fast(std::span<double> data) const {
    sum_all(data, MPI_DOUBLE, *this);
}

std::vector<Range> Communicator::scaled(std::vector<Range> slices, std::size_t bytes) {
    const auto factor = static_cast<std::int64_t>(bytes);
    for (Range& s : slices) s = {s.begin * factor, s.count * factor};
    return slices;
}

void Communicator::broadcast_bytes(std::span<std::byte> data, Rank root) const {
    const Waiting waiting(*this);
    in_pieces(static_cast<std::int64_t>(data.size()), [&](std::int64_t at, int count) {
        check(MPI_Bcast(data.data() + at, count, MPI_BYTE, index(root), raw()), "MPI_Bcast");
    });
}

void Communicator::transfer_bytes(std::span<std::byte> data, Rank from, Rank to) const {
    const Waiting waiting(*this, rank_ == from ? to : from);
    Exchange exchange(raw());
    const auto bytes = static_cast<std::int64_t>(data.size());
    if (rank_ == from) exchange.send(data.data(), bytes, index(to));
    if (rank_ == to) exchange.receive(data.data(), bytes, index(from));
    exchange.complete();
}

std::vector<std::int64_t> Communicator::all_gather_counts(std::int64_t mine) const {
    const Waiting waiting(*this);
    std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
    check(MPI_Allgather(&mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, raw()), "MPI_Allgather");
    return all;
}

void Communicator::all_gather_bytes(std::span<const std::byte> mine,
                                    const std::vector<std::int64_t>& sizes,
                                    std::span<std::byte> all) const {
    std::vector<Range> slices;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
        slices.push_back({begin, size});
        begin += size;
    }
    const Range own = slices[static_cast<std::size_t>(index(rank_))];
    if (!mine.empty()) std::memcpy(all.data() + own.begin, mine.data(), mine.size());
    all_gather_bytes_in_place(all, slices);
}

void Communicator::all_gather_bytes_by_mpi(std::span<std::byte> data,
                                           const std::vector<Range>& slices) const {
    ensure(data.size() <= std::numeric_limits<int>::max(), "short slices are counted by int");
    std::vector<int> counts;
    std::vector<int> begins;
    for (const Range& slice : slices) {
        counts.push_back(static_cast<int>(slice.count));
        begins.push_back(static_cast<int>(slice.begin));
    }
    const Waiting waiting(*this);
    check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), counts.data(),
                         begins.data(), MPI_BYTE, raw()),
          "MPI_Allgatherv");
}

void Communicator::all_gather_bytes_in_place(std::span<std::byte> data,
                                             const std::vector<Range>& slices) const {
    const Waiting waiting(*this);
    Exchange exchange(raw());
    const int me = index(rank_);
    const Range mine = slices[static_cast<std::size_t>(me)];
    for (int step = 1; step < size_; ++step) {
        const int from = (me + size_ - step) % size_;
        const Range theirs = slices[static_cast<std::size_t>(from)];
        exchange.receive(data.data() + theirs.begin, theirs.count, from);
    }
    for (int step = 1; step < size_; ++step)
        exchange.send(data.data() + mine.begin, mine.count, (me + step) % size_);
    exchange.complete();
}

void Communicator::exchange_bytes(std::span<const std::byte> data, const std::vector<Range>& slices,
                                  std::span<std::byte> pieces) const {
    const Waiting waiting(*this);
    Exchange exchange(raw());
    const int me = index(rank_);
    const Range mine = slices[static_cast<std::size_t>(me)];
    for (int from = 0; from < size_; ++from)
        if (from != me) exchange.receive(pieces.data() + from * mine.count, mine.count, from);
    for (int step = 1; step < size_; ++step) {
        const int to = (me + step) % size_;
        const Range theirs = slices[static_cast<std::size_t>(to)];
        exchange.send(data.data() + theirs.begin, theirs.count, to);
    }
    if (mine.count > 0)
        std::memcpy(pieces.data() + me * mine.count, data.data() + mine.begin,
                    static_cast<std::size_t>(mine.count));
    exchange.complete();
}

}  // namespace civitas::comm
