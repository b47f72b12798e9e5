#pragma once
/// How one net's micro-batches go through its stages in one pass: the published pipelines.
#include "civitas/schedule/schedule.hpp"

#include <vector>

namespace civitas::schedule {

/// One list per coordinate.
using Lists = std::vector<std::vector<Action>>;

enum class Pattern {
    gpipe,        ///< all F, then all BW (Huang et al. 2019)
    one_f_one_b,  ///< F and BW alternate (Narayanan et al. 2019); with chunks interleaved (2021)
    zero_bubble,  ///< as one_f_one_b, B and W apart: ZB-H1 (Qi et al. 2024)
};

struct Part {
    NetId net{};
    PassId pass{};
    Range micros;
};

/// F and backward of every micro-batch of the part, on every coordinate. With several chunks the
/// micro-batches are a multiple of the coordinates.
[[nodiscard]] Lists lists_of(Pattern pattern, const ScheduleShape& shape, const Part& part);

[[nodiscard]] Lists forward_of(Lists lists);
[[nodiscard]] Lists backward_of(Lists lists);
/// B only.
[[nodiscard]] Lists without_weights(Lists lists);
/// redraw in place of F.
[[nodiscard]] Lists redrawn(Lists lists);
/// reduce and step of a net on every coordinate.
[[nodiscard]] Lists update_of(NetId net, int coordinates);
/// A recompute before every B or BW that does not follow its F or redraw at once.
[[nodiscard]] Lists recomputed(const Lists& lists);

/// Lists whose actions have no order among them; on a coordinate each keeps its own.
using Phase = std::vector<Lists>;
/// One list per coordinate out of several, phase after phase. Where a phase has more than one they
/// are merged as they would run with unit times: what can begin first, then B before the rest (and
/// F before W, if the step ends earlier so), then the earlier list. Precondition: one chunk.
[[nodiscard]] Lists joined(const std::vector<Phase>& phases, const ScheduleShape& shape);

}  // namespace civitas::schedule
