#pragma once
/// Which numbers and words an option takes. All throw UsageError with the bounds.
#include "configuration.hpp"

namespace civitas::train {

/// Numbers of the recipe and of the course, threads, and the names of --allow-change.
void check_values(const Configuration& configuration);

/// Noise, widths, batch and micro-batches: far above what is of use, far below what overflows.
void check_sizes(const Task& task);

/// interleaved:v gives every coordinate v stages of each net, of a layer at least.
void check_chunks(const Task& task, const Layout& layout);

}  // namespace civitas::train
