#include "civitas/server/worker.hpp"

#include "civitas/base/error.hpp"

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace civitas::server {
namespace {

/// Who has waited for long leaves the core to others.
void rest(int polls) {
    constexpr int soon = 2000;
    if (polls < soon)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace

Letter to_letter(const Order& order) {
    Head head{.what = static_cast<std::int64_t>(order.what), .item = order.item};
    head.version = static_cast<std::int64_t>(order.how);
    return Letter(head);
}

Order order_of(const Letter& letter) {
    const Head& head = letter.head();
    return {static_cast<Order::What>(head.what), head.item, static_cast<Exit>(head.version)};
}

Worker::Worker(Letters& letters, Rank me, std::function<void()> serve)
    : letters_(letters), me_(me), serve_(std::move(serve)) {
    letters_.listen(root, Subject::order);
}

void Worker::take_order() {
    const auto letter = letters_.take(root, Subject::order);
    if (!letter) return;
    const Order order = order_of(*letter);
    if (order.what == Order::What::fail) throw Dismissed(Exit::error);
    if (order.what == Order::What::end && !making_.empty()) throw Dismissed(order.how);
    orders_.push_back(order);
}

void Worker::wait(const std::function<bool()>& is_there) {
    for (int polls = 0; !is_there(); ++polls) {
        serve_();
        letters_.progress();
        take_order();
        const bool within = !making_.empty() && make_too_;
        if (within && !orders_.empty() && orders_.front().what == Order::What::item) {
            const WorkItem other = orders_.front().item;
            orders_.pop_front();
            if (other.step >= item().step) make_too_(other);  // else others have made it
        }
        rest(polls);
    }
}

void Worker::wait_alone(const std::function<bool()>& is_there) {
    auto make_too = std::exchange(make_too_, nullptr);
    wait(is_there);
    make_too_ = std::move(make_too);
}

void Worker::ask() {
    if (orders_.empty() && !std::exchange(asked_, true))
        letters_.send(root, Subject::take, Letter(Head{.worker = number()}));
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
    making_.push_back(item);
    try {
        work();
    } catch (...) {
        making_.pop_back();
        throw;
    }
    making_.pop_back();
}

void Worker::tell(WorkItem item, const Head& head, std::span<const double> numbers) {
    Head told = head;
    told.item = item;
    told.worker = number();
    const Letter letter(told, static_cast<std::int64_t>(numbers.size_bytes()));
    std::memcpy(letter.numbers(at::kDouble).mutable_data_ptr(), numbers.data(),
                numbers.size_bytes());
    letters_.send(root, Subject::figures, letter);
}

void Worker::fail(const std::string& words) {
    Letter letter(Head{.worker = number()}, most_words);
    auto* text = static_cast<char*>(letter.numbers(at::kByte).mutable_data_ptr());
    std::memset(text, 0, most_words);
    words.copy(text, most_words - 1);
    letters_.send(root, Subject::failure, letter);
    // What this rank serves may be what has failed.
    serve_ = [] {};
    wait_alone([] { return false; });
    throw Dismissed(Exit::error);
}

void Worker::part() {
    letters_.send(root, Subject::take, Letter(Head{.what = parting, .worker = number()}));
}

}  // namespace civitas::server
