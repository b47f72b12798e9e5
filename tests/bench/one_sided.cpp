// How a worker gets weights from a server that computes: by one-sided MPI (MPI_Get under a shared
// lock), or by a message that is asked for, which the server answers between two layers. Run on two
// ranks; a second time with `--mca btl tcp,self`, as between nodes.
//
//   mpirun -n 2 bench_one_sided [MEGABYTES] [MILLISECONDS OF A LAYER] [ROUNDS]
#include "civitas/base/clock.hpp"
#include "civitas/base/error.hpp"
#include "civitas/base/median.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace civitas;

namespace {

struct Load {
    int bytes;
    double layer_s;
    int rounds;
};
constexpr int server = 0, worker = 1, ask_tag = 1, answer_tag = 2, end_tag = 3;

void compute(double seconds) {
    for (const Stopwatch watch; watch.seconds() < seconds;) {
    }
}

/// Computes until the worker has done, and answers what has come between two layers.
void serve(MPI_Comm comm, const std::vector<char>& weights, double layer_s) {
    for (;;) {
        compute(layer_s);
        int come = 0;
        MPI_Status status;
        MPI_Iprobe(worker, MPI_ANY_TAG, comm, &come, &status);
        if (!come) continue;
        MPI_Recv(nullptr, 0, MPI_BYTE, worker, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == end_tag) return;
        MPI_Request answer = MPI_REQUEST_NULL;
        MPI_Isend(weights.data(), static_cast<int>(weights.size()), MPI_BYTE, worker, answer_tag,
                  comm, &answer);
        for (int left = 0; !left;) {
            MPI_Test(&answer, &left, MPI_STATUS_IGNORE);
            if (!left) compute(layer_s);
        }
    }
}

template <class Get>
double median_of(int rounds, Get&& get) {
    std::vector<double> seconds;
    for (int i = 0; i < rounds; ++i) {
        const Stopwatch watch;
        get();
        seconds.push_back(watch.seconds());
    }
    return median(seconds);
}

void bench(MPI_Comm comm, const Load& load) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<char> weights(static_cast<std::size_t>(load.bytes), 1), copy(weights.size());
    char* memory = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    if (MPI_Win_allocate(load.bytes, 1, MPI_INFO_NULL, comm, &memory, &window) != MPI_SUCCESS)
        throw Error("MPI offers no one-sided messages between these ranks");
    MPI_Win_set_errhandler(window, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(comm);
    if (rank == server) {
        serve(comm, weights, load.layer_s);
        serve(comm, weights, load.layer_s);
    } else if (rank == worker) {
        const auto end = [&] { MPI_Send(nullptr, 0, MPI_BYTE, server, end_tag, comm); };
        const double messages = median_of(load.rounds, [&] {
            MPI_Send(nullptr, 0, MPI_BYTE, server, ask_tag, comm);
            MPI_Recv(copy.data(), load.bytes, MPI_BYTE, server, answer_tag, comm,
                     MPI_STATUS_IGNORE);
        });
        end();
        const double one_sided = median_of(load.rounds, [&] {
            MPI_Win_lock(MPI_LOCK_SHARED, server, 0, window);
            MPI_Get(copy.data(), load.bytes, MPI_BYTE, server, 0, load.bytes, MPI_BYTE, window);
            MPI_Win_unlock(server, window);
        });
        end();
        std::printf("%8.1f MB, layers of %4.1f ms: message %8.2f ms, one-sided %8.2f ms\n",
                    load.bytes / 1e6, load.layer_s * 1e3, messages * 1e3, one_sided * 1e3);
    }
    MPI_Barrier(comm);
    MPI_Win_free(&window);
}

double argument(int argc, char** argv, int number, double otherwise) {
    return argc > number ? std::atof(argv[number]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    return comm::run_session(argc, argv, [&] {
        bench(comm::Communicator::world().raw(),
              {static_cast<int>(argument(argc, argv, 1, 14) * 1e6),
               argument(argc, argv, 2, 3) / 1e3, static_cast<int>(argument(argc, argv, 3, 15))});
        return Exit::done;
    });
}
