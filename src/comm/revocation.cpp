#include "civitas/comm/revocation.hpp"

#include "check.hpp"

namespace civitas::comm {
namespace {

constexpr int notice = 1;  ///< tag; the collectives of a Communicator use 0

}  // namespace

Revocation::~Revocation() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    for (MPI_Request& request : notices_)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

void Revocation::revoke() {
    if (!notices_.empty()) return;
    for (int to = 0; to < ranks_.size(); ++to) {
        if (Rank{to} == ranks_.rank()) continue;
        comm::check(MPI_Isend(nullptr, 0, MPI_BYTE, to, notice, ranks_.raw(),
                              &notices_.emplace_back(MPI_REQUEST_NULL)),
                    "MPI_Isend");
    }
}

void Revocation::check() const {
    int come = 0;
    comm::check(MPI_Iprobe(MPI_ANY_SOURCE, notice, ranks_.raw(), &come, MPI_STATUS_IGNORE),
                "MPI_Iprobe");
    if (come != 0) throw Revoked();
}

void Revocation::drain() {
    const auto sent = ranks_.all_gather(std::ssize(notices_));
    for (int from = 0; from < ranks_.size(); ++from) {
        if (Rank{from} == ranks_.rank() || sent[static_cast<std::size_t>(from)] == 0) continue;
        comm::check(MPI_Recv(nullptr, 0, MPI_BYTE, from, notice, ranks_.raw(), MPI_STATUS_IGNORE),
                    "MPI_Recv");
    }
    comm::check(
        MPI_Waitall(static_cast<int>(notices_.size()), notices_.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
    notices_.clear();
}

}  // namespace civitas::comm
