#include "civitas/server/served_net.hpp"

#include "served_updater.hpp"

#include "civitas/base/error.hpp"

namespace civitas::server {
namespace {

std::int64_t bytes_of(at::ScalarType type, std::int64_t numbers) {
    return numbers * static_cast<std::int64_t>(c10::elementSize(type));
}

}  // namespace

ServedNet::ServedNet(Endpoint& endpoint, const ServerRoles& roles, Worker& worker, Rank me,
                     const ServedNetOptions& options)
    : endpoint_(endpoint), roles_(roles), worker_(worker), me_(me), options_(options) {}

ServedNet::~ServedNet() = default;

std::unique_ptr<optim::Updater> ServedNet::make_updater(const optim::Parameters& parameters,
                                                        const std::vector<Range>& slots_of_layers,
                                                        const optim::UpdaterOptions& options) {
    arrays_ = std::make_unique<Arrays>(parameters, slots_of_layers, options, roles_, me_ == root);
    schedule::LeafCounts leaves = options.leaves;
    leaves.per_pass = options_.micro_batches;
    return std::make_unique<ServedUpdater>(*this, slots_of_layers, leaves);
}

GradientShape ServedNet::gradient_for(Rank server) const {
    const std::int64_t passes = arrays_->options.leaves.passes;
    return {.type = arrays_->type(),
            .passes = passes,
            .elements = arrays_->owned_by(server).count(),
            .statistics = server == root ? passes * options_.micro_batches * width_ : 0};
}

void ServedNet::hold(optim::StatisticsKind which, const std::vector<at::Tensor>& mine) {
    if (which != optim::StatisticsKind::running) return;
    for (const at::Tensor& tensor : mine) width_ += tensor.numel();
    for (const Rank server : roles_.all_servers()) {
        const std::int64_t own = arrays_->owned_by(server).count();
        endpoint_.listen(server, MessageKind::weights, bytes_of(arrays_->type(), own),
                         options_.net);
        if (me_ == root)
            endpoint_.listen(server, MessageKind::state,
                             bytes_of(arrays_->type(), own * std::ssize(arrays_->state())),
                             options_.net);
    }
    if (!roles_.serves(me_)) return;
    const auto& [of, asked] = std::tie(arrays_->parameters, arrays_->options);
    service_.emplace(
        endpoint_, roles_, options_.net, gradient_for(me_),
        std::make_unique<ServedArrays>(of.layout, arrays_->owned_by(me_), asked.optimizer,
                                       asked.ema, arrays_->type(), options_.parts));
}

void ServedNet::change(optim::StatisticsKind /*which*/, const std::vector<at::Tensor>& /*mine*/,
                       const std::function<void()>& work) {
    if (applying_) work();
}

bool ServedNet::takes_statistics(const std::vector<at::Tensor>& by_micro_batch) {
    if (applying_) return false;
    statistics_.insert(statistics_.end(), by_micro_batch.begin(), by_micro_batch.end());
    return true;
}

void ServedNet::follow(Followers followers) {
    service_->observe_updates(
        [this, followers = std::move(followers)](std::int64_t updates, const StepParts& parts) {
            apply_statistics(parts, updates, followers);
            if (followers.then) followers.then(updates);
        });
}

void ServedNet::apply_statistics(const StepParts& parts, std::int64_t updates,
                                 const Followers& by) {
    applying_ = true;
    const std::int64_t passes = arrays_->options.leaves.passes;
    for (std::int64_t pass = 0; pass < passes && width_ > 0; ++pass) {
        std::vector<at::Tensor> rows;
        for (const at::Tensor& part : parts)
            for (const at::Tensor& row :
                 part.view({passes, options_.micro_batches, width_})[pass].unbind(0))
                rows.push_back(row);
        by.apply(rows);
    }
    by.mix(updates);
    applying_ = false;
}

Message ServedNet::gradient_message(Rank server, const std::vector<at::Tensor>& sums) const {
    std::vector<at::Tensor> numbers = arrays_->owned_of(sums, server);
    if (server == root) numbers.insert(numbers.end(), statistics_.begin(), statistics_.end());
    return {{.item = worker_.item(), .worker = worker_.number()}, arrays_->type(), numbers};
}

// What the root has all servers have: it counts a worker as waiting, and a part as ended, by what
// it sees itself, and would give nobody else what another server lacks.
void ServedNet::push(const std::vector<at::Tensor>& sums) {
    const Worker::Exchange exchange(worker_);
    const Message to_root = gradient_message(root, sums);
    for (const Rank server : roles_.all_servers())
        if (server != root)
            endpoint_.send(server, MessageKind::gradient, gradient_message(server, sums),
                           options_.net);
    statistics_.clear();
    wait_until_pushed();
    endpoint_.send(root, MessageKind::gradient, to_root, options_.net);
}

void ServedNet::wait_until_pushed() {
    worker_.wait_alone([&] { return endpoint_.have_left(MessageKind::gradient, options_.net); });
}

void ServedNet::pull(std::int64_t version) {
    const Worker::Exchange exchange(worker_);
    const Envelope envelope{.what = static_cast<int>(MessageKind::weights), .version = version};
    for (const Rank server : roles_.all_servers())
        endpoint_.send(server, MessageKind::wanted, Message(envelope), options_.net);
    std::vector<std::optional<Message>> come(static_cast<std::size_t>(roles_.servers()));
    worker_.wait([&] {
        bool all = true;
        for (const Rank server : roles_.all_servers()) {
            auto& message = come[static_cast<std::size_t>(index(server))];
            if (!message) message = endpoint_.take(server, MessageKind::weights, options_.net);
            all = all && message.has_value();
        }
        return all;
    });
    version_ = come.front()->envelope().version;
    for (const Rank server : roles_.all_servers()) {
        const Message& message = *come[static_cast<std::size_t>(index(server))];
        message.copy_to(arrays_->owned_of({arrays_->parameters.masters.flat()}, server),
                        arrays_->type());
        version_ = std::min(version_, message.envelope().version);
    }
    arrays_->copy_to_compute();
}

void ServedNet::refresh() {
    const WorkItem item = worker_.item();
    if (options_.max_staleness > 0 || version_ < item.step)
        pull(std::max(std::int64_t{0}, item.step - options_.max_staleness));
    staleness_ = std::max(std::int64_t{0}, item.step - version_);
    statistics_.clear();
}

void ServedNet::follow_update() {
    if (!options_.awaited) return;
    const std::int64_t step = worker_.item().step;
    pull(options_.max_staleness > 0 ? version_ : step + 1);
}

void ServedNet::rest() {
    const Envelope envelope{.what = static_cast<int>(MessageKind::state), .version = steps_};
    for (const Rank server : roles_.all_servers())
        endpoint_.send(server, MessageKind::wanted, Message(envelope), options_.net);
    for (const Rank server : roles_.all_servers()) {
        std::optional<Message> message;
        worker_.wait([&] {
            message = endpoint_.take(server, MessageKind::state, options_.net);
            return message.has_value();
        });
        message->copy_to(arrays_->owned_of(arrays_->state(), server), arrays_->type());
    }
    version_ = steps_;
    arrays_->copy_to_compute();
}

void ServedNet::publish() {
    for (const Rank server : roles_.all_servers())
        endpoint_.send(server, MessageKind::load,
                       Message(Envelope{.version = steps_}, arrays_->type(),
                               arrays_->owned_of(arrays_->state(), server)),
                       options_.net);
}

std::int64_t ServedNet::bytes_of_weights() const {
    return service_ ? service_->bytes_of_weights() : 0;
}

bool ServedNet::poll() { return service_ && service_->poll(); }

}  // namespace civitas::server
