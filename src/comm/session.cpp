#include "civitas/comm/session.hpp"

#include "check.hpp"
#include "nccl.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/libraries.hpp"
#include "civitas/base/process.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/failure.hpp"

#include <mpi.h>
#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

namespace civitas::comm {

void check(int code, const char* call, std::source_location at) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> reason{};
    int length = 0;
    MPI_Error_string(code, reason.data(), &length);
    throw LibraryError(call, reason.data(), at);
}

namespace {

/// A process started alone needs no network and no daemon, which take long to find and to start,
/// and no session folder, which another such process may remove meanwhile. What the user set stays.
void stay_alone() {
    if (rank_by_launcher()) return;
    ::setenv("OMPI_MCA_pml", "ob1", /*overwrite=*/0);
    ::setenv("OMPI_MCA_btl", "self", /*overwrite=*/0);
    ::setenv("OMPI_MCA_ess_singleton_isolated", "1", /*overwrite=*/0);
    ::setenv("OMPI_MCA_orte_create_session_dirs", "0", /*overwrite=*/0);
}

int rank_in_job() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

}  // namespace

Session::Session(int& argc, char**& argv) {
    stay_alone();
    int provided = 0;
    check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    if (provided < MPI_THREAD_FUNNELED)
        throw Error(text("MPI offers thread level ", provided, ", Civitas needs ",
                         MPI_THREAD_FUNNELED, " (MPI_THREAD_FUNNELED)"));
}

Session::~Session() {
    if (std::uncaught_exceptions() != 0) return;
    keep_libraries_loaded();  // a thread of PMIx may still run in one (open-mpi/ompi#10117)
    MPI_Finalize();
}

std::vector<Component> components() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
    int length = 0;
    check(MPI_Get_library_version(words.data(), &length), "MPI_Get_library_version");
    const std::string mpi(words.data());
    return {{"MPI", mpi.substr(0, mpi.find_first_of(",\n"))},
            {"CUDA", cuda_version()},
            {"NCCL", nccl_version()}};
}

void end_job(const std::string& what) {
    std::cerr << text("rank ", rank_in_job(), ": error: ", what, '\n') << std::flush;
    end_job(Exit::error);
}

void end_job(Exit how) {
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(how));
    std::abort();
}

namespace {

Exit report_together(const AgreedError& e) {
    if (rank_in_job() == 0) std::cerr << "error: " << e.what() << std::endl;
    return e.usage() ? Exit::usage : Exit::error;
}

Exit guarded(const std::function<Exit()>& body) {
    try {
        return body();
    } catch (const AgreedError& e) {
        return report_together(e);
    } catch (const std::exception& e) {
        end_job(message_of(e));
    }
}

}  // namespace

int run_session(int argc, char** argv, const std::function<Exit()>& body) {
    std::optional<Session> session;
    try {
        session.emplace(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << text("error: ", e.what(), '\n');
        return static_cast<int>(Exit::error);
    }
    return static_cast<int>(guarded(body));
}

}  // namespace civitas::comm
