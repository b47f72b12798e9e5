#pragma once
/// The machine that a plan is made for.
#include "civitas/planner/layer_costs.hpp"
#include "civitas/planner/options.hpp"

namespace civitas::planner {

/// A machine of equal nodes. Rates are a second's; memory and bandwidth those of a node. The
/// defaults are an eight-core workstation.
struct MachineModel {
    int nodes = 1;
    int cores = 8;  ///< of a node, as gpus
    int gpus = 0;
    double fp32_flops = 60e9;  ///< of a core, as the next two; of a GPU where there are any
    double bf16_flops = 120e9;
    double fp64_flops = 30e9;
    double memory = 16e9;
    double memory_bandwidth = 20e9;
    double gpu_memory = 16e9;      ///< of one GPU
    double gpu_bandwidth = 600e9;  ///< of one GPU
    double host_bandwidth = 12e9;  ///< between a GPU and the host's memory, either way
    double link_bandwidth = 5e9;   ///< of a message between two ranks of a node
    double link_latency = 5e-6;
    double network_bandwidth = 1.25e9;  ///< of a node, shared by its ranks that talk to others'
    double network_latency = 30e-6;
    double disk_bandwidth = 1e9;  ///< of a node, shared by its ranks

    [[nodiscard]] int ranks_of_node(int ranks) const { return (ranks + nodes - 1) / nodes; }
    /// Of a core, or a GPU, in every type.
    void scale_flops(double factor) {
        for (double* const rate : {&fp32_flops, &bf16_flops, &fp64_flops}) *rate *= factor;
    }
};

/// What one of `ranks` ranks gets: its share of a node's cores, or of the GPU it is on.
[[nodiscard]] Rates rates_of(const MachineModel& machine, int ranks, net::Precision precision);
[[nodiscard]] double memory_of_rank(const MachineModel& machine, int ranks);
/// What one of the ranks of a node has of it.
[[nodiscard]] MachineModel part_of_node(MachineModel machine, int ranks_of_node);

}  // namespace civitas::planner
