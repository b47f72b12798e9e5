#pragma once
/// What replicas of a net write of a checkpoint.
#include "civitas/net/arena_slices.hpp"

namespace civitas::net {

/// One of the ranks that hold the same layers, and what of them is divided among all.
struct Replica {
    int number = 0;
    bool divides_weights = false;
    bool divides_optimizer = false;  ///< moments and mean
    bool has_mean = false;           ///< of weights and running statistics
    int moments = 2;                 ///< arrays like the weights
    bool writes_whole = true;        ///< what ranks of the tensor axis do not divide
};

/// Numbers that a replica writes of the layers `local` of a net: what it owns alone, and of what
/// all have alike its share of each array along the first dim. `division`: of these layers among
/// the `ranks` replicas.
[[nodiscard]] std::int64_t saved_numbers(const NetDescription& local, const ArenaDivision& division,
                                         int ranks, const Replica& replica);

}  // namespace civitas::net
