#include "civitas/comm/mpi_point_to_point.hpp"

#include "check.hpp"
#include "civitas/comm/waiting.hpp"
#include "pieces.hpp"
#include "staging.hpp"

#include "civitas/base/clock.hpp"

#include <algorithm>

namespace civitas::comm {
namespace {

/// Calls start(pointer, count, request) for every piece.
template <class Start>
std::vector<MPI_Request> started(const at::Tensor& data, Start&& start) {
    ensure(data.is_non_overlapping_and_dense(), "messages are dense tensors");
    auto* bytes = static_cast<std::byte*>(data.data_ptr());
    std::vector<MPI_Request> requests;
    in_pieces(static_cast<std::int64_t>(data.nbytes()), [&](std::int64_t at, int count) {
        start(bytes + at, count, &requests.emplace_back(MPI_REQUEST_NULL));
    });
    return requests;
}

}  // namespace

MpiPointToPoint::MpiPointToPoint(const Communicator& ranks, const Revocation* revocation)
    : ranks_(ranks.dup()),
      revocation_(revocation),
      pieces_sent_(static_cast<std::size_t>(ranks.size())),
      pieces_received_(pieces_sent_) {}

MpiPointToPoint::~MpiPointToPoint() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    const auto give_up = [](Transfer& transfer) {
        for (MPI_Request& piece : transfer.pieces) {
            if (piece == MPI_REQUEST_NULL) continue;
            MPI_Cancel(&piece);
            MPI_Request_free(&piece);
        }
    };
    for (auto& to_one : leaving_)
        for (Transfer& transfer : to_one.second) give_up(transfer);
    for (auto& entry : coming_) give_up(entry.second);
}

void MpiPointToPoint::send(Rank to, Tag tag, const at::Tensor& tensor) {
    at::Tensor data = on_host(tensor);
    auto pieces = started(data, [&](std::byte* bytes, int count, MPI_Request* request) {
        check(MPI_Isend(bytes, count, MPI_BYTE, index(to), static_cast<int>(tag), ranks_.raw(),
                        request),
              "MPI_Isend");
    });
    count_sent(to, data);
    pieces_sent_.at(static_cast<std::size_t>(index(to))) += std::ssize(pieces);
    discard_left(leaving_[to]);  // also of who sends and never waits
    leaving_[to].push_back({std::move(data), std::move(pieces), {}, tag});
}

void MpiPointToPoint::post_receive(Rank from, Tag tag, at::Tensor buffer) {
    civitas::ensure(!is_posted(from, tag), "one message at a time for each rank and tag");
    at::Tensor data = host_buffer(buffer);
    auto pieces = started(data, [&](std::byte* bytes, int count, MPI_Request* request) {
        check(MPI_Irecv(bytes, count, MPI_BYTE, index(from), static_cast<int>(tag), ranks_.raw(),
                        request),
              "MPI_Irecv");
    });
    coming_.emplace(Address{from, tag},
                    Transfer{std::move(data), std::move(pieces), std::move(buffer), tag});
}

bool MpiPointToPoint::is_posted(Rank from, Tag tag) const { return coming_.contains({from, tag}); }

bool MpiPointToPoint::is_there(Rank from, Tag tag) { return completed(coming_.at({from, tag})); }

at::Tensor MpiPointToPoint::wait(Rank from, Tag tag) {
    const auto it = coming_.find({from, tag});
    civitas::ensure(it != coming_.end(), "a message is announced before it is taken");
    const Stopwatch watch;
    if (!completed(it->second)) {
        const Waiting waiting(ranks_, from);
        for (int polls = 0; !completed(it->second); ++polls) yield(polls);
    }
    count_waited(from, watch.seconds());
    auto node = coming_.extract(it);
    pieces_received_.at(static_cast<std::size_t>(index(from))) += std::ssize(node.mapped().pieces);
    return filled(node.mapped().buffer, node.mapped().data);
}

// Any call of MPI carries all messages; only the first is asked about, since many may wait.
void MpiPointToPoint::discard_left(std::deque<Transfer>& transfers) {
    while (!transfers.empty() && completed(transfers.front())) transfers.pop_front();
}

void MpiPointToPoint::progress() {
    for (auto& to_one : leaving_) discard_left(to_one.second);
    std::erase_if(leaving_, [](const auto& to_one) { return to_one.second.empty(); });
    for (auto& entry : coming_) (void)completed(entry.second);
}

void MpiPointToPoint::flush() {
    const Stopwatch watch;
    progress();
    if (!leaving_.empty()) {
        const Waiting waiting(ranks_, leaving_.begin()->first);
        for (int polls = 0; !leaving_.empty(); ++polls) yield(polls);
    }
    count_waited(watch.seconds());
}

std::optional<Rank> MpiPointToPoint::awaited_by(Tag tag) {
    std::optional<Rank> whom;
    for (auto& [to, transfers] : leaving_) {
        std::erase_if(transfers, [=](Transfer& t) { return t.tag == tag && completed(t); });
        if (std::any_of(transfers.begin(), transfers.end(),
                        [=](const Transfer& t) { return t.tag == tag; }))
            whom = to;
    }
    return whom;
}

void MpiPointToPoint::flush(Tag tag) {
    const Stopwatch watch;
    if (const auto whom = awaited_by(tag)) {
        const Waiting waiting(ranks_, *whom);
        for (int polls = 0; awaited_by(tag); ++polls) yield(polls);
    }
    count_waited(watch.seconds());
}

void MpiPointToPoint::yield(int polls) {
    progress();
    if (revocation_ != nullptr) revocation_->check();
    rest(polls);
}

// A receive that has met its message already cannot be cancelled, and completes.
void MpiPointToPoint::withdraw() {
    for (auto& [address, transfer] : coming_) {
        for (MPI_Request& piece : transfer.pieces) {
            MPI_Status status{};
            int cancelled = 0;
            if (piece != MPI_REQUEST_NULL) check(MPI_Cancel(&piece), "MPI_Cancel");
            check(MPI_Wait(&piece, &status), "MPI_Wait");
            check(MPI_Test_cancelled(&status, &cancelled), "MPI_Test_cancelled");
            if (cancelled == 0)
                ++pieces_received_.at(static_cast<std::size_t>(index(address.first)));
        }
    }
    coming_.clear();
}

void MpiPointToPoint::swallow(Rank from, std::int64_t pieces) {
    for (; pieces > 0; --pieces) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status{};
        int bytes = 0;
        check(MPI_Mprobe(index(from), MPI_ANY_TAG, ranks_.raw(), &message, &status), "MPI_Mprobe");
        check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
        std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
        check(MPI_Mrecv(buffer.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    }
}

void MpiPointToPoint::drain() {
    const Communicator aside = ranks_.dup();  // its messages are not those that are counted
    const auto sent = aside.all_gather(std::span<const std::int64_t>(pieces_sent_));
    withdraw();
    for (int from = 0; from < ranks_.size(); ++from) {
        const auto row = static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_.size());
        const std::size_t sent_here = row + static_cast<std::size_t>(index(ranks_.rank()));
        std::int64_t& received = pieces_received_.at(static_cast<std::size_t>(from));
        swallow(Rank{from}, sent.at(sent_here) - received);
        received = sent.at(sent_here);
    }
    for (auto& to_one : leaving_)
        for (Transfer& transfer : to_one.second)
            check(MPI_Waitall(static_cast<int>(transfer.pieces.size()), transfer.pieces.data(),
                              MPI_STATUSES_IGNORE),
                  "MPI_Waitall");
    leaving_.clear();
}

bool MpiPointToPoint::completed(Transfer& transfer) {
    int done = 0;
    check(MPI_Testall(static_cast<int>(transfer.pieces.size()), transfer.pieces.data(), &done,
                      MPI_STATUSES_IGNORE),
          "MPI_Testall");
    return done != 0;
}

}  // namespace civitas::comm
