#pragma once
/// What an executor holds between two actions, and how much that is.
#include "scales.hpp"
#include "stage_channel.hpp"

#include <set>

namespace civitas::parallel {

struct Executor::State {
    explicit State(Pipeline pipeline)
        : channel(std::move(pipeline)),
          peak_kept(channel.graph().nets.size()),
          scales_(channel.graph().nets.size()) {}

    StageChannel channel;
    std::map<schedule::Action, nn::Stage::Context> kept;
    std::map<schedule::Action, at::Tensor> inputs;          ///< of visits that will be recomputed
    std::map<schedule::Action, at::Tensor> loss_gradients;  ///< by visit
    /// Of passes whose outputs several others take, while their first stage keeps them.
    std::map<std::pair<schedule::PassId, LocalMicroBatch>, at::Tensor> outputs;
    std::set<schedule::Action> redrawn;     ///< visits whose activations are dropped after F
    std::set<schedule::Action> recomputed;  ///< visits of which only the input is kept
    std::int64_t peak_bytes = 0, peak_gathered_bytes = 0;
    schedule::KeptPeak peak_kept;

    /// The table's own peaks are known after its first run: it is the same every time.
    void begin(const std::vector<schedule::Action>& actions);
    void end(const std::vector<schedule::Action>& actions);
    /// Takes down what is held for this action, which has changed it, and whether it is the most.
    void sample_peak(const schedule::Action& action);
    /// As sample_peak(), but what is held is on its way out.
    void note(const schedule::Action& action);
    void clear();

private:
    template <class Map, class Key>
    void put_from(const Map& map, const Key& key, Role role, const schedule::Action& action);

    Scales scales_;
    std::vector<schedule::Action> sampled_;
    bool sampling_ = false;
};

}  // namespace civitas::parallel
