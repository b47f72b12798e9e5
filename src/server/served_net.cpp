#include "civitas/server/served_net.hpp"

#include "served_updater.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/cat.h>

namespace civitas::server {
namespace {

std::int64_t bytes_of(at::ScalarType type, std::int64_t numbers) {
    return numbers * static_cast<std::int64_t>(c10::elementSize(type));
}

}  // namespace

ServedNet::ServedNet(Letters& letters, const Roles& roles, Worker& worker, Rank me,
                     const ServedNetOptions& options)
    : letters_(letters), roles_(roles), worker_(worker), me_(me), options_(options) {}

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
        letters_.listen(server, Subject::weights, bytes_of(arrays_->type(), own), options_.net);
        if (me_ == root)
            letters_.listen(server, Subject::state,
                            bytes_of(arrays_->type(), own * std::ssize(arrays_->state())),
                            options_.net);
    }
    if (!roles_.serves(me_)) return;
    const auto& [of, asked] = std::tie(arrays_->parameters, arrays_->options);
    service_.emplace(letters_, roles_, options_.net, gradient_for(me_),
                     std::make_unique<ServedArrays>(of.layout, arrays_->owned_by(me_), asked.adam,
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
            apply_statistics(parts, followers);
            if (followers.then) followers.then(updates);
        });
}

void ServedNet::apply_statistics(const StepParts& parts, const Followers& by) {
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
    by.mix();
    applying_ = false;
}

Letter ServedNet::gradient_letter(Rank server, const std::vector<at::Tensor>& sums) const {
    const GradientShape shape = gradient_for(server);
    Letter letter(Head{.item = worker_.item(), .worker = worker_.number()}, shape.bytes());
    const at::Tensor numbers = letter.numbers(shape.type);
    std::int64_t begin = 0;
    const auto add = [&](const at::Tensor& some) {
        numbers.narrow(0, begin, some.numel()).copy_(some);
        begin += some.numel();
    };
    for (const at::Tensor& sum : sums)
        for (const at::Tensor& run : optim::runs_in(sum, arrays_->owned_by(server))) add(run);
    if (shape.statistics > 0)
        for (const at::Tensor& row : statistics_) add(row);
    return letter;
}

// What the root has all servers have: it counts a worker as waiting, and a part as ended, by what
// it sees itself, and would give nobody else what another server lacks.
void ServedNet::push(const std::vector<at::Tensor>& sums) {
    const Letter to_root = gradient_letter(root, sums);
    for (const Rank server : roles_.all_servers())
        if (server != root)
            letters_.send(server, Subject::gradient, gradient_letter(server, sums), options_.net);
    statistics_.clear();
    wait_until_pushed();
    letters_.send(root, Subject::gradient, to_root, options_.net);
}

void ServedNet::wait_until_pushed() {
    worker_.wait_alone([&] { return letters_.have_left(Subject::gradient, options_.net); });
}

void ServedNet::pull(std::int64_t version) {
    const Head head{.what = static_cast<int>(Subject::weights), .version = version};
    for (const Rank server : roles_.all_servers())
        letters_.send(server, Subject::wanted, Letter(head), options_.net);
    std::vector<std::optional<Letter>> come(static_cast<std::size_t>(roles_.servers()));
    worker_.wait([&] {
        bool all = true;
        for (const Rank server : roles_.all_servers()) {
            auto& letter = come[static_cast<std::size_t>(index(server))];
            if (!letter) letter = letters_.take(server, Subject::weights, options_.net);
            all = all && letter.has_value();
        }
        return all;
    });
    const at::Tensor& masters = arrays_->parameters.masters.flat();
    version_ = come.front()->head().version;
    for (const Rank server : roles_.all_servers()) {
        const Letter& letter = *come[static_cast<std::size_t>(index(server))];
        const at::Tensor numbers = letter.numbers(arrays_->type());
        std::int64_t begin = 0;
        for (const at::Tensor& run : optim::runs_in(masters, arrays_->owned_by(server))) {
            run.copy_(numbers.narrow(0, begin, run.numel()));
            begin += run.numel();
        }
        version_ = std::min(version_, letter.head().version);
    }
    if (const optim::Arena* copy = arrays_->parameters.compute_copy) copy->flat().copy_(masters);
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
    const Head head{.what = static_cast<int>(Subject::state), .version = steps_};
    for (const Rank server : roles_.all_servers())
        letters_.send(server, Subject::wanted, Letter(head), options_.net);
    for (const Rank server : roles_.all_servers()) {
        std::optional<Letter> letter;
        worker_.wait([&] {
            letter = letters_.take(server, Subject::state, options_.net);
            return letter.has_value();
        });
        const at::Tensor numbers = letter->numbers(arrays_->type());
        std::int64_t begin = 0;
        for (const at::Tensor& whole : arrays_->state())
            for (const at::Tensor& run : optim::runs_in(whole, arrays_->owned_by(server))) {
                run.copy_(numbers.narrow(0, begin, run.numel()));
                begin += run.numel();
            }
    }
    version_ = steps_;
    if (const optim::Arena* copy = arrays_->parameters.compute_copy)
        copy->flat().copy_(arrays_->parameters.masters.flat());
}

void ServedNet::publish() {
    for (const Rank server : roles_.all_servers()) {
        std::vector<at::Tensor> own;
        for (const at::Tensor& whole : arrays_->state())
            for (const at::Tensor& run : optim::runs_in(whole, arrays_->owned_by(server)))
                own.push_back(run);
        const at::Tensor all = at::cat(own);
        const Letter letter(Head{.version = steps_}, static_cast<std::int64_t>(all.nbytes()));
        letter.numbers(all.scalar_type()).copy_(all);
        letters_.send(server, Subject::load, letter, options_.net);
    }
}

std::int64_t ServedNet::bytes_of_weights() const {
    return service_ ? service_->bytes_of_weights() : 0;
}

void ServedNet::poll() {
    if (service_) service_->poll();
}

}  // namespace civitas::server
