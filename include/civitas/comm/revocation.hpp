#pragma once
/// Waiting for other ranks that ends when one of them has failed.
#include "civitas/comm/communicator.hpp"

#include <vector>

namespace civitas::comm {

/// Another rank has failed while this one waited for a message. No failure of this rank's own.
class Revoked : public Error {
public:
    Revoked() : Error("another rank has failed") {}
};

/// A rank that has failed tells all others without a collective call, as MPI_Comm_revoke of ULFM
/// does (Bland et al., "Post-failure recovery of MPI communication capability", 2013), made of
/// messages that any MPI has.
class Revocation {
public:
    /// Collective: notices travel on a duplicate of `ranks`.
    explicit Revocation(const Communicator& ranks) : ranks_(ranks.dup()) {}
    Revocation(const Revocation&) = delete;
    Revocation& operator=(const Revocation&) = delete;
    Revocation(Revocation&&) = delete;
    Revocation& operator=(Revocation&&) = delete;
    /// Gives up notices that have not left.
    ~Revocation();

    /// Tells all other ranks and returns at once; the second time it does nothing.
    void revoke();
    /// Throws Revoked when another rank has revoked. To be asked while polling.
    void check() const;
    /// Takes all notices, after which nobody has revoked. Collective.
    void drain();

private:
    Communicator ranks_;
    std::vector<MPI_Request> notices_;  ///< one to each other rank, once revoked
};

}  // namespace civitas::comm
