#pragma once
/// Where ranks wait long for each other.
#include "civitas/comm/mpi_point_to_point.hpp"

#include <functional>

namespace civitas::population {

/// Who waits sleeps: the cores are for those that still compute.
class Meeting {
public:
    /// Collective.
    explicit Meeting(const comm::Communicator& job) : job_(job), messages_(job) {}

    /// Returns when all ranks have come. `meanwhile` is called again and again. Collective.
    void wait(const std::function<void()>& meanwhile);

private:
    void send(Rank to);
    void receive(Rank from, const std::function<void()>& meanwhile);

    const comm::Communicator& job_;
    comm::MpiPointToPoint messages_;
};

}  // namespace civitas::population
