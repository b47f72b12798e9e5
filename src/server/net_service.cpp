#include "civitas/server/net_service.hpp"

#include <ATen/ops/cat.h>
#include <utility>

namespace civitas::server {
namespace {

/// Copies numbers, flat, to the tensors one after the other.
void divide(const at::Tensor& numbers, const std::vector<at::Tensor>& tensors) {
    std::int64_t begin = 0;
    for (const at::Tensor& tensor : tensors) {
        tensor.copy_(numbers.narrow(0, begin, tensor.numel()));
        begin += tensor.numel();
    }
}

Letter letter_of(const Head& head, const std::vector<at::Tensor>& tensors) {
    const at::Tensor all = at::cat(tensors);
    Letter letter(head, static_cast<std::int64_t>(all.nbytes()));
    letter.numbers(all.scalar_type()).copy_(all);
    return letter;
}

}  // namespace

NetService::NetService(Letters& letters, const Roles& roles, schedule::NetId net,
                       const GradientShape& gradient, std::unique_ptr<ServedArrays> arrays)
    : letters_(letters), roles_(roles), net_(net), gradient_(gradient), arrays_(std::move(arrays)) {
    const auto state = static_cast<std::int64_t>(arrays_->state().size()) * gradient_.elements *
                       static_cast<std::int64_t>(c10::elementSize(gradient_.type));
    letters_.listen(root, Subject::load, state, net_);
    for (int rank = 0; rank < roles_.ranks(); ++rank)
        letters_.listen(Rank{rank}, Subject::wanted, 0, net_);
    for (const Rank worker : roles_.all_workers())
        letters_.listen(worker, Subject::gradient, gradient_.bytes(), net_);
}

void NetService::take_gradient(const Letter& letter) {
    const WorkItem item = letter.head().item;
    const at::Tensor numbers = letter.numbers(gradient_.type);
    const std::int64_t count = gradient_.passes * gradient_.elements;
    const bool first = arrays_->put(
        item, numbers.narrow(0, 0, count).view({gradient_.passes, gradient_.elements}));
    if (first && gradient_.statistics > 0)
        statistics_[item.step][item.part] = numbers.narrow(0, count, gradient_.statistics);
    if (on_part_ && item.step >= arrays_->version()) on_part_(item, letter.head().worker);
}

void NetService::take_letters(Rank from) {
    if (roles_.works(from))
        while (const auto letter = letters_.take(from, Subject::gradient, net_))
            take_gradient(*letter);
    while (const auto letter = letters_.take(from, Subject::wanted, net_))
        wishes_.push_back({from, letter->head().what == static_cast<int>(Subject::state),
                           letter->head().version});
}

void NetService::answer(const Wish& wish) {
    const Head head{.version = arrays_->version()};
    if (wish.state)
        letters_.send(wish.who, Subject::state, letter_of(head, arrays_->state()), net_);
    else
        letters_.send(wish.who, Subject::weights, letter_of(head, {arrays_->weights()}), net_);
}

void NetService::poll() {
    if (const auto letter = letters_.take(root, Subject::load, net_)) {
        divide(letter->numbers(gradient_.type), arrays_->state());
        arrays_->load(letter->head().version);
    }
    for (int rank = 0; rank < roles_.ranks(); ++rank) take_letters(Rank{rank});
    while (arrays_->version() >= 0 && arrays_->update()) {
        if (!on_update_) continue;
        StepParts parts;
        for (auto& [part, numbers] : statistics_[arrays_->version() - 1]) parts.push_back(numbers);
        on_update_(arrays_->version(), parts);
        statistics_.erase(arrays_->version() - 1);
    }
    std::erase_if(wishes_, [&](const Wish& wish) {
        if (arrays_->version() < 0 || arrays_->version() < wish.version) return false;
        answer(wish);
        return true;
    });
}

std::int64_t NetService::bytes_of_weights() const {
    return static_cast<std::int64_t>(arrays_->weights().nbytes());
}

std::int64_t NetService::bytes_of_state() const {
    std::int64_t bytes = -bytes_of_weights();
    for (const at::Tensor& array : arrays_->state())
        bytes += static_cast<std::int64_t>(array.nbytes());
    return bytes;
}

}  // namespace civitas::server
