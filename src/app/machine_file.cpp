#include "machine_file.hpp"

#include "civitas/cli/options.hpp"

#include <array>

namespace civitas::app {
namespace {

void declare(cli::Options& options, planner::MachineModel& r) {
    options.add("nodes", r.nodes, "machines")
        .add("cores", r.cores, "cores of a node")
        .add("gpus", r.gpus, "GPUs of a node")
        .add("fp32-flops", r.fp32_flops, "operations a second of a core (of a GPU, if any)")
        .add("bf16-flops", r.bf16_flops, "likewise")
        .add("fp64-flops", r.fp64_flops, "likewise")
        .add("memory", r.memory, "bytes of a node")
        .add("memory-bandwidth", r.memory_bandwidth, "bytes a second of a node")
        .add("gpu-memory", r.gpu_memory, "bytes of a GPU")
        .add("gpu-bandwidth", r.gpu_bandwidth, "bytes a second of a GPU's memory")
        .add("host-bandwidth", r.host_bandwidth, "bytes a second between a GPU and its host")
        .add("link-bandwidth", r.link_bandwidth, "bytes a second between two ranks of a node")
        .add("link-latency", r.link_latency, "seconds of an empty message")
        .add("network-bandwidth", r.network_bandwidth, "bytes a second between a node and others")
        .add("network-latency", r.network_latency, "seconds of an empty message")
        .add("disk-bandwidth", r.disk_bandwidth, "bytes a second of a node's disk");
}

template <class Number>
void require(const std::string& file, const char* name, Number value, Number least, Number most) {
    if (value >= least && value <= most) return;
    throw UsageError(text(file, ": no machine has ", name, " = ", value),
                     Hint{text("a number from ", least, " to ", most)});
}

/// Far beyond any machine, and small enough for all that is reckoned from them.
void check(const planner::MachineModel& r, const std::string& file) {
    constexpr int many = 1'000'000;
    constexpr double most = 1e18;
    require(file, "nodes", r.nodes, 1, many);
    require(file, "cores", r.cores, 1, many);
    require(file, "gpus", r.gpus, 0, many);
    require(file, "link-latency", r.link_latency, 0.0, most);
    require(file, "network-latency", r.network_latency, 0.0, most);
    const std::array<std::pair<const char*, double>, 11> positive{
        {{"fp32-flops", r.fp32_flops},
         {"bf16-flops", r.bf16_flops},
         {"fp64-flops", r.fp64_flops},
         {"memory", r.memory},
         {"memory-bandwidth", r.memory_bandwidth},
         {"gpu-memory", r.gpu_memory},
         {"gpu-bandwidth", r.gpu_bandwidth},
         {"host-bandwidth", r.host_bandwidth},
         {"link-bandwidth", r.link_bandwidth},
         {"network-bandwidth", r.network_bandwidth},
         {"disk-bandwidth", r.disk_bandwidth}}};
    for (const auto& [name, value] : positive) require(file, name, value, 1.0, most);
}

}  // namespace

planner::MachineModel read_resources(const std::string& file) {
    planner::MachineModel machine;
    if (file.empty()) return machine;
    cli::Options options("a machine file", "");
    declare(options, machine);
    const std::array words{"machine", "--config", file.c_str()};
    options.parse(static_cast<int>(words.size()), words.data());
    check(machine, file);
    return machine;
}

}  // namespace civitas::app
