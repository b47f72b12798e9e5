#pragma once
/// Spans of time inside the actions of a schedule, written down while a step is traced.
#include "civitas/base/clock.hpp"

#include <cstdint>
#include <vector>

namespace civitas {

/// What a rank does in a span of talk, in which it sends, receives and waits for other ranks.
enum class Talk : std::uint8_t {
    tensor_exchange,  ///< slices of activations along the tensor axis
    data_exchange,    ///< slices of gradients along the data axis
    meeting           ///< until all ranks have come to where losses are checked
};

/// A span of talk, in seconds of a timeline's clock.
struct TalkSpan {
    Talk talk{};
    double begin_s = 0;
    double end_s = 0;
};

/// One rank's spans, in the order in which they ended.
struct Timeline {
    Stopwatch clock;
    std::vector<TalkSpan> spans;
};

}  // namespace civitas
