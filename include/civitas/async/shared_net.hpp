#pragma once
/// A net in memory that ranks of a node share, updated by each of them when it is ready.
#include "civitas/async/turns.hpp"
#include "civitas/base/update_kind.hpp"
#include "civitas/comm/node_memory.hpp"
#include "civitas/memory/shared_memory.hpp"
#include "civitas/optim/shared_model.hpp"

#include <optional>

namespace civitas::async {

/// Weights, moments of the optimizer and means lie once in shared memory; each rank computes with a
/// copy of the weights. The arrays are divided into slices, at which ranks take turns: no number is
/// read while another rank writes it, and ranks meet only at the slice that both want.
class SharedNet final : public optim::SharedModel {
public:
    /// `memory`: that its ranks compute in; must outlive this.
    SharedNet(const memory::SharedMemory& memory, AsyncMoments moments);

    [[nodiscard]] std::unique_ptr<optim::Updater> make_updater(
        const optim::Parameters& parameters, const std::vector<Range>& slots_of_layers,
        const optim::UpdaterOptions& options) override;
    void hold(optim::StatisticsKind which, const std::vector<at::Tensor>& mine) override;
    void change(optim::StatisticsKind which, const std::vector<at::Tensor>& mine,
                const std::function<void()>& work) override;
    [[nodiscard]] std::int64_t bytes_of_weights() const override;
    void refresh() override;
    void rest() override;
    void publish() override;
    void publish(optim::StatisticsKind which, const std::vector<at::Tensor>& mine) override;

private:
    /// Statistics that are shared, flat, and the turns at them.
    struct Statistics {
        at::Tensor flat;
        std::optional<comm::NodeMemory> control;
        std::optional<Turns> turns;
    };
    [[nodiscard]] Statistics& statistics(optim::StatisticsKind which);

    const memory::SharedMemory& memory_;
    AsyncMoments moments_;
    std::shared_ptr<class SharedArrays> arrays_;
    Statistics running_, mean_;
};

}  // namespace civitas::async
