#include "civitas/server/coordinator.hpp"

#include "civitas/base/error.hpp"

#include <chrono>
#include <thread>

namespace civitas::server {

Coordinator::Coordinator(Letters& letters, const Roles& roles, const QueueOptions& options,
                         std::int64_t figures, std::function<void(const WorkQueue::Given&)> on_late)
    : letters_(letters),
      roles_(roles),
      queue_(options),
      parts_(options.parts),
      on_late_(std::move(on_late)) {
    for (int rank = 0; rank < roles_.ranks(); ++rank) {
        letters_.listen(Rank{rank}, Subject::take);
        letters_.listen(Rank{rank}, Subject::failure, most_words);
    }
    for (const Rank worker : roles_.all_workers())
        letters_.listen(worker, Subject::figures,
                        figures * static_cast<std::int64_t>(sizeof(double)));
}

void Coordinator::take_figures(Rank worker) {
    while (const auto letter = letters_.take(worker, Subject::figures)) {
        const Head& head = letter->head();
        if (!queue_.end(head.item, index(worker), clock_.seconds())) continue;
        const at::Tensor numbers = letter->numbers(at::kDouble);
        const auto* const begin = numbers.const_data_ptr<double>();
        figures_[head.item.step][head.item.part] = {head, {begin, begin + numbers.numel()}};
    }
}

void Coordinator::poll() {
    for (const Rank worker : roles_.all_workers()) {
        take_figures(worker);
        if (letters_.take(worker, Subject::take)) queue_.ask(index(worker));
    }
    for (int rank = 0; rank < roles_.ranks(); ++rank)
        if (const auto words = letters_.take(Rank{rank}, Subject::failure))
            throw AgreedError(static_cast<const char*>(words->numbers(at::kByte).const_data_ptr()),
                              false);
    for (const WorkQueue::Given& given : queue_.give(clock_.seconds())) {
        if (given.instead_of) on_late_(given);
        letters_.send(Rank{given.worker}, Subject::order,
                      to_letter({.what = Order::What::item, .item = given.item}));
    }
}

std::vector<EndedStep> Coordinator::ended_steps() {
    std::vector<EndedStep> ended;
    while (!figures_.empty() && std::ssize(figures_.begin()->second) == parts_) {
        EndedStep step{figures_.begin()->first, {}};
        for (auto& [part, figures] : figures_.begin()->second)
            step.parts.push_back(std::move(figures));
        ended.push_back(std::move(step));
        figures_.erase(figures_.begin());
    }
    return ended;
}

std::vector<Rank> Coordinator::end(const Order& order, double seconds) {
    for (int rank = 0; rank < roles_.ranks(); ++rank)
        letters_.send(Rank{rank}, Subject::order, to_letter(order));
    std::vector<Rank> silent;
    for (int rank = 1; rank < roles_.ranks(); ++rank) silent.push_back(Rank{rank});
    for (const Stopwatch watch; !silent.empty() && watch.seconds() < seconds;) {
        letters_.progress();
        std::erase_if(silent, [&](Rank worker) {
            const auto letter = letters_.take(worker, Subject::take);
            return letter && letter->head().what == parting;
        });
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return silent;
}

}  // namespace civitas::server
