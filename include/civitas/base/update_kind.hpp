#pragma once
/// How the ranks of a run bring the weights up to date.
#include "civitas/base/node_map.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace civitas {

/// Together, by the sum of their gradients; each by its own, without waiting for the others
/// (Hogwild!, Recht et al. 2011); or by servers, which keep the weights and get gradients of parts
/// of a step (a parameter server, Li et al. 2014).
enum class UpdateKind { sync, async, server };
[[nodiscard]] UpdateKind parse_update_kind(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(UpdateKind kind);

/// Whose moments of Adam a rank updates by `async`: those of all, or its own.
enum class AsyncMoments { shared, own };
[[nodiscard]] AsyncMoments parse_async_moments(std::string_view name);  ///< throws UsageError

/// Seconds that a rank waits in each step, for experiments: `1=0.2,3=1.5`. Throws UsageError.
[[nodiscard]] std::map<int, double> parse_delays(const std::string& words);

/// `any`: none; a number of steps; or `auto`: 0 with servers, else any. Throws UsageError.
[[nodiscard]] std::optional<std::int64_t> parse_staleness(const std::string& words,
                                                          UpdateKind kind);

struct UpdateOptions {
    UpdateKind kind = UpdateKind::sync;
    AsyncMoments moments = AsyncMoments::shared;
    /// Most steps that others end while a rank makes one; none: as many as they do.
    std::optional<std::int64_t> max_staleness = {};
    int servers = 0;  ///< ranks that keep weights and do not work; 0: all do both
    std::map<int, double> delays = {};
    int ranks = 1;  ///< that update one model by `async` or `server`; known when the run begins
    int rank = 0;   ///< this one of them
    std::optional<NodeMap> nodes = {};  ///< of them; none: they share one
};

}  // namespace civitas
