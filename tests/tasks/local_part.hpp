#pragma once
/// The part of an array that a rank holds.
#include "civitas/optim/model_state.hpp"

namespace civitas::tasks::runs {

/// The box of `whole`, a logical array, that `local` holds.
inline at::Tensor part_of(at::Tensor whole, const optim::LocalArray& local) {
    for (std::size_t d = 0; d < local.box.size(); ++d)
        whole = whole.narrow(static_cast<std::int64_t>(d), local.box[d].begin, local.box[d].count);
    return whole;
}

}  // namespace civitas::tasks::runs
