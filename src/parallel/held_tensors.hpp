#pragma once
/// What an executor holds between two actions, and how much that is.
#include "scales.hpp"

#include "civitas/schedule/kept_peak.hpp"

#include <map>
#include <utility>
#include <vector>

namespace civitas::parallel {

class HeldTensors {
public:
    explicit HeldTensors(std::size_t nets) : kept_(nets), peak_kept_(nets) {}

    /// Bytes are counted in the first run of a table: they are the same every time.
    void begin(const std::vector<schedule::Action>& actions) { sampling_ = sampled_ != actions; }
    void end(const std::vector<schedule::Action>& actions) { sampled_ = actions; }
    void clear();

    /// Holds a tensor for an action, until it is taken.
    void put(Role role, const schedule::Action& action, at::Tensor tensor);
    [[nodiscard]] at::Tensor get(Role role, const schedule::Action& action) const;
    [[nodiscard]] at::Tensor take(Role role, const schedule::Action& action);

    /// What a visit keeps, to be changed until sample_peak() or forget().
    [[nodiscard]] nn::Stage::Context& kept(const schedule::Action& visit);
    void forget(const schedule::Action& visit);
    /// Takes down what is held, and whether it is the most. `visit`: the one whose kept changed.
    void sample_peak(const schedule::Action& visit);

    /// At any sample_peak(); memory that several hold counts once.
    [[nodiscard]] std::int64_t peak_bytes() const noexcept { return peak_bytes_; }
    [[nodiscard]] const schedule::KeptPeak& peak_kept() const noexcept { return peak_kept_; }

private:
    using KeptVisits = std::map<schedule::Action, nn::Stage::Context>;
    [[nodiscard]] KeptVisits& kept_of(schedule::NetId net) {
        return kept_.at(static_cast<std::size_t>(net));
    }

    std::map<std::pair<Role, schedule::Action>, at::Tensor> tensors_;
    std::vector<KeptVisits> kept_;  ///< by net
    Scales scales_;
    std::int64_t peak_bytes_ = 0;
    schedule::KeptPeak peak_kept_;
    std::vector<schedule::Action> sampled_;
    bool sampling_ = false;
};

}  // namespace civitas::parallel
