#include "civitas/memory/staged_arrays.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/collectives.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <algorithm>

namespace civitas::memory {

using comm::part;

StagedArrays::StagedArrays(at::Device device, std::int64_t elements)
    : device_(device), elements_(elements) {
    ensure(elements > 0, "a window has elements");
    if (device.is_cpu()) return;
    const c10::impl::VirtualGuardImpl streams(device.type());
    for (Lane& lane : lanes_) lane.stream = streams.getStreamFromGlobalPool(device);
}

// The memory comes from the stream that computes, and what was told to that before may still use
// it.
void StagedArrays::open(Lane& lane, std::span<const at::Tensor> like) const {
    for (const at::Tensor& array : like)
        lane.windows.push_back(at::empty({elements_}, array.options().device(device_)));
    if (!lane.stream) return;
    c10::Event computed(device_.type());
    computed.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
    computed.block(*lane.stream);
}

void StagedArrays::update(std::span<const at::Tensor> arrays, Range some, const Change& change) {
    for (std::int64_t begin = some.begin; begin < some.end(); begin += elements_) {
        const Range window{begin, std::min(elements_, some.end() - begin)};
        Lane& lane = lanes_.at(turn_++ % lanes_.size());
        if (lane.windows.empty()) open(lane, arrays);
        c10::OptionalStreamGuard on_lane;
        if (lane.stream) on_lane.reset_stream(*lane.stream);
        std::vector<at::Tensor> there;
        for (std::size_t i = 0; i < arrays.size(); ++i)
            there.push_back(part(lane.windows.at(i), {0, window.count})
                                .copy_(part(arrays[i], window), /*non_blocking=*/true));
        change(window, there);
        for (std::size_t i = 0; i < arrays.size(); ++i)
            part(arrays[i], window).copy_(there[i], /*non_blocking=*/true);
    }
}

void StagedArrays::finish() {
    for (Lane& lane : lanes_) {
        if (lane.stream)
            c10::impl::VirtualGuardImpl(device_.type()).synchronizeStream(*lane.stream);
        lane.windows.clear();
    }
}

}  // namespace civitas::memory
