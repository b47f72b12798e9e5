#pragma once
/// A net whose weights servers keep, as a rank has it that computes with a copy.
#include "civitas/optim/shared_model.hpp"
#include "civitas/server/net_service.hpp"
#include "civitas/server/worker.hpp"

#include <memory>
#include <optional>

namespace civitas::server {

/// How the ranks of a job share a net.
struct ServedNetOptions {
    schedule::NetId net{};
    bool awaited = false;    ///< whether what comes after its update in a step computes with it
    std::int64_t parts = 1;  ///< of a step
    std::int64_t micro_batches = 1;  ///< of a part
    std::int64_t max_staleness = 0;
};

class ServedNet final : public optim::SharedModel {
public:
    /// All that is referred to must outlive this.
    ServedNet(Endpoint& endpoint, const ServerRoles& roles, Worker& worker, Rank me,
              const ServedNetOptions& options);
    ServedNet(const ServedNet&) = delete;
    ServedNet& operator=(const ServedNet&) = delete;
    ServedNet(ServedNet&&) = delete;
    ServedNet& operator=(ServedNet&&) = delete;
    ~ServedNet() override;

    [[nodiscard]] std::unique_ptr<optim::Updater> make_updater(
        const optim::Parameters& parameters, const std::vector<Range>& slots_of_layers,
        const optim::UpdaterOptions& options) override;
    void hold(optim::StatisticsKind which, const std::vector<at::Tensor>& mine) override;
    /// Leaves out what this rank alone would make of them: the root has those of all, see follow().
    void change(optim::StatisticsKind which, const std::vector<at::Tensor>& mine,
                const std::function<void()>& work) override;
    [[nodiscard]] bool takes_statistics(const std::vector<at::Tensor>& by_micro_batch) override;
    /// Of what this rank serves.
    [[nodiscard]] std::int64_t bytes_of_weights() const override;
    /// Brings this rank's copy of the weights to what the item that is being made may begin with.
    void refresh() override;
    /// On the root: gets weights and the optimizer's state of all servers, after the steps that
    /// set_steps() has told of.
    void rest() override;
    /// On the root: what it has is what the servers go on with.
    void publish() override;
    void publish(optim::StatisticsKind /*which*/,
                 const std::vector<at::Tensor>& /*mine*/) override {}

    /// Serves it, where this rank is a server. Returns whether there was an update to make.
    bool poll();
    /// What this rank serves; null where it serves nothing.
    [[nodiscard]] NetService* service() noexcept { return service_ ? &*service_ : nullptr; }
    /// What the root's statistics follow the updates of a net by.
    struct Followers {
        /// Changes them by those of a pass: of all micro-batches of the step in order.
        std::function<void(const std::vector<at::Tensor>&)> apply;
        std::function<void(std::int64_t updates)> mix;   ///< brings their mean up to date
        std::function<void(std::int64_t updates)> then;  ///< is told of the update
    };
    /// Precondition: this is the root.
    void follow(Followers followers);
    /// Updates that the weights lacked with which this rank's newest item began.
    [[nodiscard]] std::int64_t staleness() const noexcept { return staleness_; }

    /// Sends the gradient of the item that is being made: a flat tensor for each pass.
    void push(const std::vector<at::Tensor>& sums);
    /// Waits until all that was pushed has left this rank.
    void wait_until_pushed();
    /// After push(): what comes in the same item computes with the new weights.
    void follow_update();
    /// Steps that this rank's state has behind it.
    void set_steps(std::int64_t steps) noexcept { steps_ = steps; }

private:
    class ServedUpdater;
    struct Arrays;
    [[nodiscard]] Message gradient_message(Rank server, const std::vector<at::Tensor>& sums) const;
    void apply_statistics(const StepParts& parts, std::int64_t updates, const Followers& by);
    /// Weights of at least so many updates of all servers.
    void pull(std::int64_t version);
    [[nodiscard]] GradientShape gradient_for(Rank server) const;

    Endpoint& endpoint_;
    ServerRoles roles_;
    Worker& worker_;
    Rank me_;
    ServedNetOptions options_;
    std::unique_ptr<Arrays> arrays_;
    std::optional<NetService> service_;
    std::vector<at::Tensor> statistics_;  ///< of the item that is being made, pass after pass
    std::int64_t width_ = 0;              ///< statistics of a micro-batch
    bool applying_ = false;
    std::int64_t version_ = -1, staleness_ = 0, steps_ = 0;
};

}  // namespace civitas::server
