#include "civitas/optim/gather_room.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/from_blob.h>
#include <algorithm>
#include <optional>

namespace civitas::optim {

GatherRoom::GatherRoom(const comm::TensorCollectives& ranks, std::int64_t bytes)
    : ranks_(ranks), memory_(ranks.node_tensor(bytes, at::kByte)), places_(bytes) {}

at::Tensor GatherRoom::take(std::int64_t bytes) {
    const auto found = places_.find(bytes);
    ensure(found.has_value(), "there is room for what is gathered at once");
    const Range place = *found;
    std::optional<comm::NodeArrival> last;
    for (const Released& old : released_)
        if (old.place.begin < place.end() && place.begin < old.place.end()) last = old.arrival;
    if (last) {
        ranks_.wait_for_node(*last);
        std::erase_if(released_, [&](const Released& old) { return old.arrival <= *last; });
    }
    places_.take(place);
    // Memory that begins here: what sees it counts from its begin.
    return at::from_blob(
        comm::part(memory_, place).mutable_data_ptr(), {bytes}, [kept = memory_](void*) {},
        memory_.options());
}

void GatherRoom::release(const at::Tensor& taken) {
    const auto begin = static_cast<const std::byte*>(taken.const_data_ptr()) -
                       static_cast<const std::byte*>(memory_.const_data_ptr());
    const Range place{begin, taken.numel()};
    places_.release(place);
    released_.push_back({place, ranks_.arrive_on_node()});
}

void GatherRoom::clear() {
    places_.clear();
    released_.clear();
}

}  // namespace civitas::optim
