#include "machine_file.hpp"

#include <array>
#include <utility>

namespace civitas::app {
namespace {

using planner::MachineModel;

struct Speed {
    const char* name;
    double MachineModel::*value;
    const char* help;
    double least = 1;
};
constexpr std::array<Speed, 13> speeds{
    {{"fp32-flops", &MachineModel::fp32_flops, "operations a second of a core (of a GPU, if any)"},
     {"bf16-flops", &MachineModel::bf16_flops, "likewise"},
     {"fp64-flops", &MachineModel::fp64_flops, "likewise"},
     {"memory", &MachineModel::memory, "bytes of a node"},
     {"memory-bandwidth", &MachineModel::memory_bandwidth, "bytes a second of a node"},
     {"gpu-memory", &MachineModel::gpu_memory, "bytes of a GPU"},
     {"gpu-bandwidth", &MachineModel::gpu_bandwidth, "bytes a second of a GPU's memory"},
     {"host-bandwidth", &MachineModel::host_bandwidth, "bytes a second between a GPU and its host"},
     {"link-bandwidth", &MachineModel::link_bandwidth, "bytes a second between ranks of a node"},
     {"link-latency", &MachineModel::link_latency, "seconds of an empty message", 0},
     {"network-bandwidth", &MachineModel::network_bandwidth,
      "bytes a second between a node and others"},
     {"network-latency", &MachineModel::network_latency, "seconds of an empty message", 0},
     {"disk-bandwidth", &MachineModel::disk_bandwidth, "bytes a second of a node's disk"}}};

void declare(cli::Options& options, MachineModel& r) {
    options.add("nodes", r.nodes, "machines")
        .add("cores", r.cores, "cores of a node")
        .add("gpus", r.gpus, "GPUs of a node");
    for (const Speed& speed : speeds) options.add(speed.name, r.*speed.value, speed.help);
}

template <class Number>
void require(const std::string& file, const char* name, Number value, Number least, Number most) {
    if (value >= least && value <= most) return;
    throw UsageError(text(file, ": no machine has ", name, " = ", value),
                     Hint{text("a number from ", least, " to ", most)});
}

/// Far beyond any machine, and small enough for all that is reckoned from them.
void check(const MachineModel& r, const std::string& file) {
    constexpr int many = 1'000'000;
    require(file, "nodes", r.nodes, 1, many);
    require(file, "cores", r.cores, 1, many);
    require(file, "gpus", r.gpus, 0, many);
    for (const Speed& speed : speeds) require(file, speed.name, r.*speed.value, speed.least, 1e18);
}

}  // namespace

planner::MachineModel read_resources(const std::string& file, const cli::ReadFile& read) {
    planner::MachineModel machine;
    if (file.empty()) return machine;
    auto lines = read(file);
    if (!lines)
        throw UsageError(text("cannot read the machine ", file),
                         Hint{"a file of lines like cores = 16, as src/planner/README.md has one"});
    cli::Options options("a machine file", "");
    declare(options, machine);
    const std::array words{"machine", "--config", file.c_str()};
    options.parse(static_cast<int>(words.size()), words.data(),
                  [&](const auto& /*file*/) { return std::move(lines); });
    check(machine, file);
    return machine;
}

}  // namespace civitas::app
