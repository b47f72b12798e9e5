#include "civitas/comm/tags.hpp"

#include "check.hpp"

#include <mpi.h>

namespace civitas::comm {

std::int64_t largest_tag() {
    constexpr int promised_by_mpi = 32767;
    int* most = nullptr;
    int known = 0;
    check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &known),
          "MPI_Comm_get_attr");
    return known != 0 ? *most : promised_by_mpi;
}

}  // namespace civitas::comm
