#pragma once
/// Which code computes the layers of a run, as users say it and as checkpoints keep it.
#include "civitas/net/kernel_set.hpp"
#include "civitas/net/layer_kernels.hpp"
#include "civitas/net/precision.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace civitas::net {

inline constexpr std::string_view adam_in_choice = "adam";

/// ATen alone; or kernels of our own wherever there is one for a layer (own_kernel.hpp), but for
/// some passes of some layers. As text `aten`, `fast`, or
/// `fast,-generator.norm2,-generator.conv1:FW`: all passes of one layer, F and W of another are
/// left to ATen.
class KernelChoice {
public:
    KernelChoice() = default;
    explicit KernelChoice(KernelSet kernels) : kernels_(kernels) {}
    /// Reads the text of a choice; nothing where it is none.
    [[nodiscard]] static std::optional<KernelChoice> read(std::string_view words);
    /// The same for what a user says. Throws UsageError where it is none.
    [[nodiscard]] static KernelChoice parse(std::string_view words);

    /// Whether it has kernels of our own for anything.
    [[nodiscard]] bool is_fast() const noexcept { return kernels_ == KernelSet::fast; }
    /// Passes of a layer that kernels of our own may compute. `layer`: with its net, as
    /// `generator.norm2`.
    [[nodiscard]] Passes ours(const std::string& layer) const;
    /// What updates the weights: adam_in_choice stands among the layers.
    [[nodiscard]] KernelSet adam() const;
    /// Leaves passes of a layer to ATen.
    void leave(const std::string& layer, Passes to_aten);
    /// Layers of which passes are left to ATen.
    [[nodiscard]] const std::map<std::string, Passes>& left() const noexcept { return left_; }

    friend bool operator==(const KernelChoice&, const KernelChoice&) = default;

private:
    KernelSet kernels_ = KernelSet::aten;
    std::map<std::string, Passes> left_;
};

[[nodiscard]] std::string to_string(const KernelChoice& choice);
/// `FW`: the letters of passes.
[[nodiscard]] std::string letters_of(Passes passes);

/// What a processor has instructions for.
struct Instructions {
    bool vectors = false;  ///< AVX2 with FMA at least, by which fp32 and bf16 are multiplied
};

/// What kernels depend on beside the layer.
struct KernelHost {
    Precision precision = Precision::fp32;
    Instructions instructions = {};
    bool sync_batch_norm = false;  ///< ranks normalise together
    bool gpu = false;              ///< that computes; its instructions are of no account
};

/// What `--kernels` says, and where that is to be.
struct KernelOptions {
    KernelChoice choice = {};
    /// `auto`: the choice is what may be chosen, and is made by times before training begins.
    bool automatic = false;
    KernelHost host = {};

    /// `auto`, or the choice.
    [[nodiscard]] std::string words() const { return automatic ? "auto" : to_string(choice); }
};
/// Reads `auto` or a choice; the host is the default one. Throws UsageError.
[[nodiscard]] KernelOptions parse_kernels(std::string_view words);

}  // namespace civitas::net
