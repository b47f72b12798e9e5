#pragma once
/// What makes gradients of a served net, and has the optimizer's state on the root.
#include "civitas/base/error.hpp"
#include "civitas/optim/reduction.hpp"
#include "civitas/server/served_net.hpp"

namespace civitas::server {

/// What a rank has of the arrays of a served net.
struct ServedNet::Arrays {
    Arrays(const optim::Parameters& of, const std::vector<Range>& slots_of_layers,
           const optim::UpdaterOptions& asked, const ServerRoles& roles, bool is_root)
        : parameters(of),
          options(asked),
          owned(owned_by_servers(of.layout, slots_of_layers, roles)) {
        for (const std::string_view name : options.optimizer.moments())
            moments.push_back({name, state_array(is_root)});
        if (options.ema > 0) mean.emplace(state_array(is_root));
    }

    [[nodiscard]] at::ScalarType type() const { return parameters.masters.flat().scalar_type(); }
    [[nodiscard]] const net::ArenaRuns& owned_by(Rank server) const {
        return owned.at(static_cast<std::size_t>(index(server)));
    }
    /// What a server owns of flat arrays of the whole net, run by run.
    [[nodiscard]] std::vector<at::Tensor> owned_of(const std::vector<at::Tensor>& wholes,
                                                   Rank server) const {
        std::vector<at::Tensor> runs;
        for (const at::Tensor& whole : wholes)
            for (at::Tensor& run : optim::runs_in(whole, owned_by(server)))
                runs.push_back(std::move(run));
        return runs;
    }
    /// The weights, and on the root the state of the optimizer, in the order of
    /// ServedArrays::state().
    [[nodiscard]] std::vector<at::Tensor> state() const {
        std::vector<at::Tensor> all{parameters.masters.flat()};
        for (const optim::Moment& moment : moments) all.push_back(moment.values.flat());
        if (mean) all.push_back(mean->flat());
        return all;
    }

    optim::Parameters parameters;
    optim::UpdaterOptions options;
    std::vector<net::ArenaRuns> owned;   ///< by server
    std::vector<optim::Moment> moments;  ///< whole on the root, else nothing
    std::optional<optim::ArenaShard> mean;

    /// Brings what is computed with up to date, after the weights.
    void copy_to_compute() const {
        if (const optim::Arena* copy = parameters.compute_copy)
            copy->flat().copy_(parameters.masters.flat());
    }

private:
    [[nodiscard]] static std::vector<net::ArenaRuns> owned_by_servers(
        const net::ArenaLayout& layout, const std::vector<Range>& slots_of_layers,
        const ServerRoles& roles) {
        const net::ArenaDivision division(layout, slots_of_layers, roles.servers());
        std::vector<net::ArenaRuns> owned;
        for (const Rank server : roles.all_servers())
            owned.push_back(division.owned_by(index(server)));
        return owned;
    }
    [[nodiscard]] optim::ArenaShard state_array(bool is_root) const {
        return {parameters.layout,
                is_root ? net::all_of(parameters.layout) : net::ArenaRuns(std::vector<Range>{}),
                type(), at::kCPU};
    }
};

/// A rank that only serves makes no leaves, and has no room for any.
class ServedNet::ServedUpdater final : public optim::Updater {
public:
    ServedUpdater(ServedNet& net, const std::vector<Range>& slots_of_layers,
                  const schedule::LeafCounts& leaves)
        : net_(net), arrays_(*net.arrays_), layers_(slots_of_layers.size()) {
        if (net.roles_.works(net.me_))
            leaves_.emplace(arrays_.parameters.layout, slots_of_layers, leaves, arrays_.type(),
                            arrays_.parameters.device);
    }

    [[nodiscard]] std::size_t layers() const noexcept override { return layers_; }
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t layer) override {
        return made().leaf(layer);
    }
    void push(std::size_t layer) override { made().push(layer); }
    [[nodiscard]] optim::GradientAccumulator& leaves_of(int /*replica*/) override { return *this; }
    void progress() override { net_.worker_.serve(); }
    void restart() override {
        if (leaves_) leaves_->restart();
    }
    void reduce() override {}
    [[nodiscard]] bool is_updating() const override { return false; }
    void take_back() override {}
    [[nodiscard]] bool reduce_is_revocable() const override { return true; }
    void step() override {
        net_.push(made().sums());
        made().restart();  // another part of the step may be made before this one goes on
        net_.follow_update();
    }
    [[nodiscard]] std::int64_t updates() const override { return net_.worker_.item().step + 1; }

    [[nodiscard]] bool is_finite() const override {
        const auto sums = this->sums();
        return optim::all_finite(sums, optim::finite_on_gpu(sums));
    }
    [[nodiscard]] std::optional<std::string> first_non_finite() const override {
        const net::ArenaLayout& layout = arrays_.parameters.layout;
        for (const at::Tensor& sum : sums())
            if (auto bad = optim::first_non_finite(sum, layout, net::all_of(layout))) return bad;
        return std::nullopt;
    }
    void watch() override {
        if (leaves_) leaves_->watch();
    }
    [[nodiscard]] std::optional<optim::BadLeaf> first_bad_leaf() const override {
        return leaves_ ? leaves_->first_bad() : std::nullopt;
    }
    [[nodiscard]] optim::OptimizerState state() const override {
        return {arrays_.moments, arrays_.mean ? &*arrays_.mean : nullptr};
    }
    [[nodiscard]] bool is_sharded() const override { return false; }
    [[nodiscard]] std::optional<optim::Arena> whole_mean() const override {
        if (!arrays_.mean) return std::nullopt;
        return optim::Arena(arrays_.parameters.layout, arrays_.mean->flat().clone());
    }
    void start_mean() override {
        if (arrays_.mean && arrays_.mean->flat().numel() > 0)
            arrays_.mean->flat().copy_(arrays_.parameters.masters.flat());
    }
    void resume_after(std::int64_t steps) override { net_.set_steps(steps); }
    [[nodiscard]] std::int64_t bytes() const override {
        std::int64_t bytes =
            (leaves_ ? leaves_->bytes() : 0) + (arrays_.mean ? arrays_.mean->bytes() : 0);
        for (const optim::Moment& moment : arrays_.moments) bytes += moment.values.bytes();
        if (const NetService* const service = net_.service())
            bytes += service->bytes_of_moments() + service->bytes_of_mean() +
                     service->most_bytes_of_gradients();
        return bytes;
    }
    [[nodiscard]] optim::HeldForOthers held_for_others() const override {
        const std::int64_t messages = net_.endpoint_.expected_bytes(net_.options_.net);
        const NetService* const service = net_.service();
        if (service == nullptr) return {.messages = messages};
        return {service->bytes_of_moments(), service->bytes_of_mean(), messages};
    }
    [[nodiscard]] std::int64_t offloaded_bytes() const override { return 0; }

private:
    [[nodiscard]] optim::LeafSum& made() {
        ensure(leaves_.has_value(), "a rank that makes leaves works");
        return *leaves_;
    }
    [[nodiscard]] std::vector<at::Tensor> sums() const {
        return leaves_ ? leaves_->sums() : std::vector<at::Tensor>{};
    }

    ServedNet& net_;
    Arrays& arrays_;
    std::size_t layers_;
    std::optional<optim::LeafSum> leaves_;
};

}  // namespace civitas::server
