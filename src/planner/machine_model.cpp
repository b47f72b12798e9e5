#include "civitas/planner/machine_model.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::planner {
namespace {

double flops_of(const MachineModel& r, net::Precision precision) {
    switch (precision) {
        case net::Precision::fp32: return r.fp32_flops;
        case net::Precision::bf16: return r.bf16_flops;
        case net::Precision::fp64: return r.fp64_flops;
    }
    throw Error("unknown precision");
}

double ranks_of_gpu(const MachineModel& r, int ranks) {
    return std::max(1.0, static_cast<double>(r.ranks_of_node(ranks)) / r.gpus);
}

}  // namespace

Rates rates_of(const MachineModel& r, int ranks, net::Precision precision) {
    const double flops = flops_of(r, precision);
    if (r.gpus > 0)
        return {flops / ranks_of_gpu(r, ranks), r.gpu_bandwidth / ranks_of_gpu(r, ranks)};
    const int sharing = r.ranks_of_node(ranks);
    return {flops * r.cores / sharing, r.memory_bandwidth / sharing};
}

MachineModel part_of_node(MachineModel machine, int ranks_of_node) {
    const double part = 1.0 / ranks_of_node;
    machine.nodes = 1;
    if (machine.gpus == 0) machine.scale_flops(std::min(1.0, machine.cores * part));
    machine.cores = std::max(1, machine.cores / ranks_of_node);
    machine.memory *= part;
    machine.memory_bandwidth *= part;
    machine.disk_bandwidth *= part;
    if (machine.gpus == 0) return machine;
    const double of_gpu = std::min(1.0, machine.gpus * part);
    machine.gpus = 1;
    machine.scale_flops(of_gpu);
    machine.gpu_memory *= of_gpu;
    machine.gpu_bandwidth *= of_gpu;
    return machine;
}

double memory_of_rank(const MachineModel& r, int ranks) {
    return r.gpus > 0 ? r.gpu_memory / ranks_of_gpu(r, ranks) : r.memory / r.ranks_of_node(ranks);
}

}  // namespace civitas::planner
