#pragma once
/// The losses by name, for those that only choose one.
#include <string_view>

namespace civitas::net {

/// `bce` with logits, non-saturating (Goodfellow 2014); `lsgan` (Mao 2017); `hinge` (Lim & Ye
/// 2017).
enum class LossKind { bce, lsgan, hinge };

[[nodiscard]] LossKind parse_loss(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(LossKind kind);

}  // namespace civitas::net
