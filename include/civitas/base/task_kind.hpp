#pragma once
/// What a run learns.
#include <string_view>

namespace civitas {

/// `gan`: a generator draws plans like the tiles, against a discriminator; `classify`: a classifier
/// tells the class of an image.
enum class TaskKind { gan, classify };

[[nodiscard]] TaskKind parse_task(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(TaskKind kind);

}  // namespace civitas
