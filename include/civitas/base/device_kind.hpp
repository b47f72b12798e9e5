#pragma once
/// Kinds of devices, by name.
#include <string>
#include <string_view>
#include <vector>

namespace civitas {

enum class DeviceKind { cpu, cuda };
[[nodiscard]] DeviceKind parse_device(std::string_view name);  ///< throws UsageError
/// The kinds that `cpu,cuda` names, in its order; none of an empty text. Throws UsageError for one
/// that is not known.
[[nodiscard]] std::vector<DeviceKind> parse_devices(std::string_view names);
[[nodiscard]] std::string_view to_string(DeviceKind device);
[[nodiscard]] std::string to_string(const std::vector<DeviceKind>& devices);  ///< `cpu,cuda`

/// Whether `cpu,cuda`, a list of kinds, has one of them.
[[nodiscard]] inline bool has_kind(std::string_view names, DeviceKind device) {
    return names.find(to_string(device)) != std::string_view::npos;
}
/// Whether a GPU gets the kernels of a step as CUDA graphs wherever they can be recorded.
enum class CudaGraphs { automatic, off };
[[nodiscard]] CudaGraphs parse_cuda_graphs(std::string_view name);  ///< throws UsageError

}  // namespace civitas
