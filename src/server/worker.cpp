#include "civitas/server/worker.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/waiting.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace civitas::server {
Message to_message(const Order& order) {
    Envelope envelope{.what = static_cast<std::int64_t>(order.what), .item = order.item};
    envelope.version = static_cast<std::int64_t>(order.how);
    return Message(envelope);
}

Order order_of(const Message& message) {
    const Envelope& envelope = message.envelope();
    return {static_cast<Order::What>(envelope.what), envelope.item,
            static_cast<Exit>(envelope.version)};
}

Worker::Worker(Endpoint& endpoint, Rank me, std::function<bool()> serve)
    : endpoint_(endpoint), me_(me), serve_(std::move(serve)) {
    endpoint_.listen(root, MessageKind::order);
}

void Worker::take_order() {
    const auto message = endpoint_.take(root, MessageKind::order);
    if (!message) return;
    const Order order = order_of(*message);
    if (order.what == Order::What::fail) throw Dismissed(Exit::error);
    if (order.what == Order::What::end && !making_.empty()) throw Dismissed(order.how);
    orders_.push_back(order);
}

void Worker::serve() {
    const Stopwatch watch;
    if (!serve_()) return;
    if (exchange_ != nullptr)
        exchange_->updates_s_ += watch.seconds();
    else if (making_.empty())
        spent_.without_item -= watch.seconds();
}

// It tells of the time up to its own end.
void Worker::make_too(WorkItem item) {
    Exchange* const outer = std::exchange(exchange_, nullptr);
    if (outer != nullptr) outer->pause();
    make_too_(item);  // what it throws ends the job
    exchange_ = outer;
    if (outer != nullptr) outer->go_on();
}

Worker::Spent Worker::spent() {
    spent_.seconds = since_spent_.seconds();
    since_spent_.restart();
    return std::exchange(spent_, {});
}

void Worker::wait(const std::function<bool()>& is_there) {
    for (int polls = 0; !is_there(); ++polls) {
        serve();
        endpoint_.progress();
        take_order();
        const bool within = !making_.empty() && make_too_;
        if (within && !orders_.empty() && orders_.front().what == Order::What::item) {
            const WorkItem other = orders_.front().item;
            orders_.pop_front();
            if (other.step >= item().step) make_too(other);  // else others have made it
        }
        comm::rest(polls);
    }
}

void Worker::wait_alone(const std::function<bool()>& is_there) {
    auto make_too = std::exchange(make_too_, nullptr);
    wait(is_there);
    make_too_ = std::move(make_too);
}

void Worker::ask() {
    if (orders_.empty() && !std::exchange(asked_, true))
        endpoint_.send(root, MessageKind::take, Message(Envelope{.worker = number()}));
}

Order Worker::first_order() {
    asked_ = false;
    const Order order = orders_.front();
    orders_.pop_front();
    return order;
}

Order Worker::next() {
    ask();
    return wait_for_order();
}

std::optional<Order> Worker::try_next() {
    ask();
    take_order();
    if (orders_.empty()) return std::nullopt;
    return first_order();
}

Order Worker::wait_for_order() {
    wait([&] { return !orders_.empty(); });
    return first_order();
}

void Worker::make(WorkItem item, const std::function<void()>& work) {
    if (making_.empty()) spent_.without_item += since_item_.seconds();
    making_.push_back(item);
    try {
        work();
    } catch (...) {
        making_.pop_back();
        throw;
    }
    making_.pop_back();
    if (making_.empty()) since_item_.restart();
}

void Worker::tell(WorkItem item, const Envelope& envelope, std::span<const double> numbers) {
    Envelope told = envelope;
    told.item = item;
    told.worker = number();
    const Message message(told, static_cast<std::int64_t>(numbers.size_bytes()));
    std::memcpy(message.numbers(at::kDouble).mutable_data_ptr(), numbers.data(),
                numbers.size_bytes());
    endpoint_.send(root, MessageKind::figures, message);
}

void Worker::fail(const std::string& words) {
    Message message(Envelope{.worker = number()}, most_words);
    auto* text = static_cast<char*>(message.numbers(at::kByte).mutable_data_ptr());
    std::memset(text, 0, most_words);
    words.copy(text, most_words - 1);
    endpoint_.send(root, MessageKind::failure, message);
    // What this rank serves may be what has failed.
    serve_ = [] { return false; };
    const auto end = [&] { return std::ranges::find(orders_, Order::What::end, &Order::what); };
    wait_alone([&] { return end() != orders_.end(); });  // of a run that needs this rank no more
    throw Dismissed(end()->how);
}

void Worker::leave() {
    endpoint_.send(root, MessageKind::take, Message(Envelope{.what = leaving, .worker = number()}));
}

}  // namespace civitas::server
