#pragma once
/// A net as one of its servers serves it.
#include "civitas/base/server_roles.hpp"
#include "civitas/server/endpoint.hpp"
#include "civitas/server/served_arrays.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace civitas::server {

/// The numbers of a gradient's message: of each pass those of the elements that the server owns;
/// then, for the first server alone, statistics of batch norms.
struct GradientShape {
    at::ScalarType type = at::kFloat;
    std::int64_t passes = 1;      ///< of the net, with weights
    std::int64_t elements = 0;    ///< that the server owns
    std::int64_t statistics = 0;  ///< of a part of a step, all passes
    [[nodiscard]] std::int64_t bytes() const {
        return (passes * elements + statistics) * static_cast<std::int64_t>(c10::elementSize(type));
    }
};

/// Statistics of the parts of a step, in order.
using StepParts = std::vector<at::Tensor>;

class NetService {
public:
    /// `endpoint` must outlive this.
    NetService(Endpoint& endpoint, const ServerRoles& roles, schedule::NetId net,
               const GradientShape& gradient, std::unique_ptr<ServedArrays> arrays);

    /// Calls `on_part` for each part whose gradient comes from now on, unless it comes too late.
    void observe_parts(std::function<void(WorkItem, std::int64_t worker)> on_part) {
        on_part_ = std::move(on_part);
    }
    /// Calls `on_update` after each update from now on, with the number of updates.
    void observe_updates(std::function<void(std::int64_t updates, const StepParts&)> on_update) {
        on_update_ = std::move(on_update);
    }
    /// Takes messages, makes updates that can be made, answers. Returns whether it has made any.
    /// Throws Error where a sum is not finite.
    bool poll();
    [[nodiscard]] std::int64_t bytes_of_weights() const;
    [[nodiscard]] std::int64_t bytes_of_moments() const;
    [[nodiscard]] std::int64_t bytes_of_mean() const;
    /// Of gradients that wait at once for those of other parts, with statistics.
    [[nodiscard]] std::int64_t most_bytes_of_gradients() const {
        return arrays_->most_waiting() * gradient_.bytes();
    }

private:
    /// Who wants weights, or the state, of no earlier version.
    struct Request {
        Rank who;
        bool state;
        std::int64_t version;
    };
    void take_gradient(const Message& message);
    void take_messages(Rank from);
    void answer(const Request& request);

    Endpoint& endpoint_;
    ServerRoles roles_;
    schedule::NetId net_;
    GradientShape gradient_;
    std::unique_ptr<ServedArrays> arrays_;
    std::vector<Request> requests_;
    std::function<void(WorkItem, std::int64_t)> on_part_;
    std::function<void(std::int64_t, const StepParts&)> on_update_;
    std::map<std::int64_t, std::map<std::int64_t, at::Tensor>> statistics_;  ///< by step, part
};

}  // namespace civitas::server
