#pragma once
/// A model that ranks share, each of which changes it when it is ready.
#include "civitas/optim/updater.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace civitas::optim {

/// The running statistics of a net, or their mean.
enum class StatisticsKind { running, mean };

class SharedModel {
public:
    SharedModel() = default;
    SharedModel(const SharedModel&) = delete;
    SharedModel& operator=(const SharedModel&) = delete;
    SharedModel(SharedModel&&) = delete;
    SharedModel& operator=(SharedModel&&) = delete;
    virtual ~SharedModel() = default;

    /// Makes what updates the shared weights by this rank's gradients, and `parameters`, this
    /// rank's copy of them. Collective over the ranks that share.
    [[nodiscard]] virtual std::unique_ptr<Updater> make_updater(
        const Parameters& parameters, const std::vector<Range>& slots_of_layers,
        const UpdaterOptions& options) = 0;
    /// Makes room for statistics like `mine`, and shares these. Collective over who shares.
    virtual void hold(StatisticsKind which, const std::vector<at::Tensor>& mine) = 0;
    /// Calls `work` while `mine` are the shared statistics, and nobody else changes these, and
    /// shares what it has made of them.
    virtual void change(StatisticsKind which, const std::vector<at::Tensor>& mine,
                        const std::function<void()>& work) = 0;
    /// Whether it takes over what batch norms of a step have found, in the place of this rank's own
    /// statistics: see ModelState::apply_statistics.
    [[nodiscard]] virtual bool takes_statistics(const std::vector<at::Tensor>& /*by_micro_batch*/) {
        return false;
    }
    /// Of the weights that are shared, bytes that count as this rank's.
    [[nodiscard]] virtual std::int64_t bytes_of_weights() const = 0;
    /// Brings this rank's copy of the weights up to date.
    virtual void refresh() = 0;
    /// All ranks rest: like refresh(), and what this rank alone has of the optimizer's state can go
    /// on as that of a model that made all steps.
    virtual void rest() = 0;
    /// Shares this rank's weights and statistics in the place of what was shared. Precondition:
    /// no other rank uses the model.
    virtual void publish() = 0;
    virtual void publish(StatisticsKind which, const std::vector<at::Tensor>& mine) = 0;
};

}  // namespace civitas::optim
