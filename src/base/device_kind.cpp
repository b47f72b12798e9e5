#include "civitas/base/device_kind.hpp"

#include "civitas/base/names.hpp"
#include "civitas/base/text.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<DeviceKind>, 2> device_kinds{
    {{"cpu", DeviceKind::cpu}, {"cuda", DeviceKind::cuda}}};

constexpr std::array<NamedValue<CudaGraphs>, 2> cuda_graphs{
    {{"auto", CudaGraphs::automatic}, {"off", CudaGraphs::off}}};

}  // namespace

DeviceKind parse_device(std::string_view name) { return value_named(name, "device", device_kinds); }

std::vector<DeviceKind> parse_devices(std::string_view names) {
    std::vector<DeviceKind> devices;
    for (bool more = !names.empty(); more;) {
        const auto comma = names.find(',');
        devices.push_back(parse_device(names.substr(0, comma)));
        more = comma != std::string_view::npos;
        if (more) names.remove_prefix(comma + 1);
    }
    return devices;
}

CudaGraphs parse_cuda_graphs(std::string_view name) {
    return value_named(name, "CUDA graphs", cuda_graphs);
}

std::string_view to_string(DeviceKind device) { return name_of(device, device_kinds); }

std::string to_string(const std::vector<DeviceKind>& devices) {
    return join(devices, ",", [](DeviceKind device) { return to_string(device); });
}

}  // namespace civitas
