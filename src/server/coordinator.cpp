#include "civitas/server/coordinator.hpp"

#include "civitas/base/error.hpp"

#include <chrono>
#include <thread>

namespace civitas::server {

Coordinator::Coordinator(Endpoint& endpoint, const ServerRoles& roles, const QueueOptions& options,
                         std::int64_t figures, std::function<void(const WorkQueue::Given&)> on_late)
    : endpoint_(endpoint),
      roles_(roles),
      queue_(options),
      parts_(options.parts),
      on_late_(std::move(on_late)) {
    for (int rank = 0; rank < roles_.ranks(); ++rank) {
        endpoint_.listen(Rank{rank}, MessageKind::take);
        endpoint_.listen(Rank{rank}, MessageKind::failure, most_words);
    }
    for (const Rank worker : roles_.all_workers())
        endpoint_.listen(worker, MessageKind::figures,
                         figures * static_cast<std::int64_t>(sizeof(double)));
}

void Coordinator::take_figures(Rank worker) {
    while (const auto message = endpoint_.take(worker, MessageKind::figures)) {
        const Envelope& envelope = message->envelope();
        if (!queue_.end(envelope.item, index(worker), clock_.seconds())) continue;
        const at::Tensor numbers = message->numbers(at::kDouble);
        const auto* const begin = numbers.const_data_ptr<double>();
        figures_[envelope.item.step][envelope.item.part] = {envelope,
                                                            {begin, begin + numbers.numel()}};
        end_steps();
    }
}

void Coordinator::poll() {
    for (const Rank worker : roles_.all_workers()) {
        take_figures(worker);
        if (endpoint_.take(worker, MessageKind::take)) queue_.ask(index(worker));
    }
    for (int rank = 0; rank < roles_.ranks(); ++rank)
        if (const auto words = endpoint_.take(Rank{rank}, MessageKind::failure)) {
            has_told_of_error_ = true;
            const auto* const told =
                static_cast<const char*>(words->numbers(at::kByte).const_data_ptr());
            throw AgreedError(text("rank ", rank, ": ", told), false);
        }
    for (const WorkQueue::Given& given : queue_.give(clock_.seconds())) {
        if (given.instead_of) on_late_(given);
        endpoint_.send(Rank{given.worker}, MessageKind::order,
                       to_message({.what = Order::What::item, .item = given.item}));
    }
}

void Coordinator::end_steps() {
    while (!figures_.empty() && std::ssize(figures_.begin()->second) == parts_) {
        EndedStep step{figures_.begin()->first, {}, since_step_.seconds(), seconds_since_1970()};
        since_step_.restart();
        for (auto& [part, figures] : figures_.begin()->second)
            step.parts.push_back(std::move(figures));
        ended_.push_back(std::move(step));
        figures_.erase(figures_.begin());
    }
}

std::vector<Rank> Coordinator::end(const Order& order, double seconds) {
    for (int rank = 0; rank < roles_.ranks(); ++rank)
        endpoint_.send(Rank{rank}, MessageKind::order, to_message(order));
    std::vector<Rank> silent;
    for (int rank = 1; rank < roles_.ranks(); ++rank) silent.push_back(Rank{rank});
    for (const Stopwatch watch; !silent.empty() && watch.seconds() < seconds;) {
        endpoint_.progress();
        std::erase_if(silent, [&](Rank worker) {
            const auto message = endpoint_.take(worker, MessageKind::take);
            return message && message->envelope().what == leaving;
        });
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return silent;
}

}  // namespace civitas::server
