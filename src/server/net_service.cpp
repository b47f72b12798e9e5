#include "civitas/server/net_service.hpp"

#include <utility>

namespace civitas::server {
NetService::NetService(Endpoint& endpoint, const ServerRoles& roles, schedule::NetId net,
                       const GradientShape& gradient, std::unique_ptr<ServedArrays> arrays)
    : endpoint_(endpoint),
      roles_(roles),
      net_(net),
      gradient_(gradient),
      arrays_(std::move(arrays)) {
    const auto state = static_cast<std::int64_t>(arrays_->state().size()) * gradient_.elements *
                       static_cast<std::int64_t>(c10::elementSize(gradient_.type));
    endpoint_.listen(root, MessageKind::load, state, net_);
    for (int rank = 0; rank < roles_.ranks(); ++rank)
        endpoint_.listen(Rank{rank}, MessageKind::wanted, 0, net_);
    for (const Rank worker : roles_.all_workers())
        endpoint_.listen(worker, MessageKind::gradient, gradient_.bytes(), net_);
}

void NetService::take_gradient(const Message& message) {
    const WorkItem item = message.envelope().item;
    const at::Tensor numbers = message.numbers(gradient_.type);
    const std::int64_t count = gradient_.passes * gradient_.elements;
    const bool first = arrays_->put(
        item, numbers.narrow(0, 0, count).view({gradient_.passes, gradient_.elements}));
    if (first && gradient_.statistics > 0)
        statistics_[item.step][item.part] = numbers.narrow(0, count, gradient_.statistics);
    if (on_part_ && item.step >= arrays_->version()) on_part_(item, message.envelope().worker);
}

void NetService::take_messages(Rank from) {
    if (roles_.works(from))
        while (const auto message = endpoint_.take(from, MessageKind::gradient, net_))
            take_gradient(*message);
    while (const auto message = endpoint_.take(from, MessageKind::wanted, net_))
        requests_.push_back({from, message->envelope().what == static_cast<int>(MessageKind::state),
                             message->envelope().version});
}

void NetService::answer(const Request& request) {
    const auto kind = request.state ? MessageKind::state : MessageKind::weights;
    const auto numbers = request.state ? arrays_->state() : std::vector{arrays_->weights()};
    const Envelope envelope{.version = arrays_->version()};
    endpoint_.send(request.who, kind, Message(envelope, gradient_.type, numbers), net_);
}

bool NetService::poll() {
    if (const auto message = endpoint_.take(root, MessageKind::load, net_)) {
        message->copy_to(arrays_->state(), gradient_.type);
        arrays_->load(message->envelope().version);
    }
    for (int rank = 0; rank < roles_.ranks(); ++rank) take_messages(Rank{rank});
    bool updated = false;
    while (arrays_->version() >= 0 && arrays_->update()) {
        updated = true;
        if (!on_update_) continue;
        StepParts parts;
        for (auto& [part, numbers] : statistics_[arrays_->version() - 1]) parts.push_back(numbers);
        on_update_(arrays_->version(), parts);
        statistics_.erase(arrays_->version() - 1);
    }
    std::erase_if(requests_, [&](const Request& request) {
        if (arrays_->version() < 0 || arrays_->version() < request.version) return false;
        answer(request);
        return true;
    });
    return updated;
}

std::int64_t NetService::bytes_of_weights() const {
    return static_cast<std::int64_t>(arrays_->weights().nbytes());
}

std::int64_t NetService::bytes_of_moments() const {
    std::int64_t bytes = 0;
    for (const optim::Moment& moment : arrays_->optimizer().moments())
        bytes += moment.values.bytes();
    return bytes;
}

std::int64_t NetService::bytes_of_mean() const {
    const optim::ArenaShard* const mean = arrays_->optimizer().mean();
    return mean == nullptr ? 0 : mean->bytes();
}

}  // namespace civitas::server
