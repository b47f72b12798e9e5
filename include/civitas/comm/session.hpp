#pragma once
/// MPI from start to end, and how a program of many ranks ends after an error.
#include "civitas/base/exit.hpp"
#include "civitas/base/version.hpp"

#include <functional>
#include <string>
#include <vector>

namespace civitas::comm {

/// MPI_Init_thread ... MPI_Finalize. Leaving by an exception does not finalize: other ranks may be
/// inside MPI calls, so a collective finalize would hang.
class Session {
public:
    Session(int& argc, char**& argv);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

/// What carries messages: MPI, and CUDA and NCCL, `none` in a build without them.
[[nodiscard]] std::vector<Component> components();

/// Run `body` between MPI_Init and MPI_Finalize and turn errors into exit codes. An AgreedError is
/// printed once and ends in order; any other exception is printed with its rank, and MPI_Abort ends
/// the job, since the other ranks may be waiting.
[[nodiscard]] int run_session(int argc, char** argv, const std::function<Exit()>& body);

/// Prints an error that only this rank knows of, with its rank, and ends the job at once, whatever
/// the other ranks wait for. For an error below which threads may wait for ever: nothing is
/// unwound.
[[noreturn]] void end_job(const std::string& what);
/// Ends the job at once where all is done, but a rank does not come to its end.
[[noreturn]] void end_job(Exit how);

}  // namespace civitas::comm
