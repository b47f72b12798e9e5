#include "civitas/net/kernel_set.hpp"

#include "civitas/base/names.hpp"

namespace civitas::net {
namespace {

constexpr std::array<NamedValue<KernelSet>, 2> kernel_sets{
    {{"aten", KernelSet::aten}, {"fast", KernelSet::fast}}};

}  // namespace

KernelSet parse_kernel_set(std::string_view name) {
    return value_named(name, "kernels", kernel_sets);
}

std::string_view to_string(KernelSet kernels) { return name_of(kernels, kernel_sets); }

}  // namespace civitas::net
