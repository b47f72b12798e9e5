#pragma once
/// What may compute a layer, and what shall, as a rewrite of descriptions.
#include "civitas/net/description.hpp"
#include "civitas/net/kernel_choice.hpp"

#include <string>

namespace civitas::net {

/// The kernel of our own for a layer.
struct OwnKernel {
    Kernel kernel = Kernel::aten;  ///< aten: there is none
    Passes passes = {};            ///< that it computes
    bool as_a_whole = false;       ///< F, B and W, or none of them
    std::string left = {};         ///< why ATen computes the others; empty: there are none
};
/// Which kernel of src/kernels or src/strided there is for a layer with inputs of this shape. All
/// that is known of what kernels reach, and from what size on they are faster, is known here.
[[nodiscard]] OwnKernel own_kernel(const LayerDescription& layer, ImageShape input,
                                   const KernelHost& host);
/// The passes of it that a choice takes.
[[nodiscard]] Passes taken(const OwnKernel& own, Passes chosen);

/// The name of a layer in a choice: `generator.norm2`.
[[nodiscard]] std::string name_in_choice(const NetDescription& net, const LayerDescription& layer);

/// Throws UsageError where a choice names a layer that the nets do not have.
void check_layers(const KernelChoice& choice, const std::string& name_of_nets,
                  const std::vector<NetDescription>& nets);

/// The net, or a part of it, with the kernels of each layer: our own where the choice takes it and
/// there is one, ATen elsewhere. A rank of the tensor axis has its own part's.
[[nodiscard]] NetDescription with_kernels(NetDescription net, const KernelOptions& options);
/// The net by ATen alone.
[[nodiscard]] NetDescription by_aten(NetDescription net);

/// `strided`, as a user may see it.
[[nodiscard]] std::string_view to_string(Kernel kernel);

}  // namespace civitas::net
