#include "civitas/comm/point_to_point.hpp"

namespace civitas::comm {

std::int64_t PointToPoint::bytes_sent() const noexcept {
    std::int64_t bytes = 0;
    for (const auto& entry : traffic_) bytes += entry.second.bytes_sent;
    return bytes;
}

void PointToPoint::count_sent(Rank to, const at::Tensor& data) {
    traffic_[to].bytes_sent += static_cast<std::int64_t>(data.nbytes());
}

void PointToPoint::count_waited(Rank from, double seconds) {
    waited_ += seconds;
    traffic_[from].waited_s += seconds;
}

}  // namespace civitas::comm
