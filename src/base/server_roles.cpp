#include "civitas/base/server_roles.hpp"

namespace civitas {

std::int64_t parts_of_step(std::int64_t micro_batches, int workers) {
    std::int64_t in_part = 1;
    while (micro_batches % (2 * in_part) == 0 && micro_batches / (2 * in_part) >= workers)
        in_part *= 2;
    return micro_batches / in_part;
}

}  // namespace civitas
