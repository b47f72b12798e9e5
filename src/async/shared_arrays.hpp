#pragma once
/// The arrays of a net in shared memory, slice by slice.
#include "civitas/async/turns.hpp"
#include "civitas/base/update_kind.hpp"
#include "civitas/comm/node_memory.hpp"
#include "civitas/memory/shared_memory.hpp"
#include "civitas/optim/optimizer.hpp"
#include "civitas/optim/updater.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace civitas::async {

/// Weights, moments and means of a net, and a rank's copy of the weights.
class SharedArrays {
public:
    /// Room for the arrays of a net like `mine`, whose weights are shared in the end. Collective.
    SharedArrays(const memory::SharedMemory& memory, const optim::Parameters& mine,
                 const optim::UpdaterOptions& options, AsyncMoments moments);

    /// Updates all weights by `gradient`, flat, slice by slice, and takes over what others have
    /// made of them meanwhile.
    void update(const at::Tensor& gradient);
    /// Takes over what others have made of the weights.
    void refresh();
    /// Scales moments of this rank's own, of few updates, as if they were of all that there have
    /// been: what they are after bias correction stays.
    void rest();
    /// Shares the weights of this rank.
    void publish();
    /// The mean of the weights begins with these.
    void start_mean();
    /// So many updates have been made.
    void set_steps(std::int64_t steps);

    [[nodiscard]] const std::vector<optim::Moment>& moments() const { return moments_; }
    [[nodiscard]] const optim::ArenaShard* mean() const { return mean_ ? &*mean_ : nullptr; }
    /// Of moments and mean, what counts as this rank's of those that ranks share.
    [[nodiscard]] std::int64_t bytes() const;
    /// Of the shared weights, what counts as this rank's.
    [[nodiscard]] std::int64_t bytes_of_weights() const { return weights_.bytes(); }
    /// Of the weights so far, by all ranks.
    [[nodiscard]] std::int64_t updates() const { return std::atomic_ref(counter()).load(); }

private:
    /// Calls `work` for every slice, on all threads of a CPU.
    void each_slice(const std::function<void(std::size_t slice, Range elements)>& work) const;
    /// Of updates, in shared memory.
    [[nodiscard]] std::int64_t& counter() const;
    /// Calls `work(version)` in a turn at a slice, which ends when the device has done what it was
    /// told. This rank's copy has that version then.
    template <class Work>
    void take_turn(std::size_t slice, Work&& work);
    /// Brings this rank's copy of a slice up to date, in a turn at it.
    void copy_here(Range elements) const;
    /// The array at a place among the shared ones.
    [[nodiscard]] optim::ArenaShard shared_array(int place) const;
    /// A moment, shared at that place or this rank's own.
    [[nodiscard]] optim::ArenaShard moment(int place) const;

    const memory::SharedMemory& memory_;
    optim::Parameters mine_;
    optim::UpdateRule rule_;
    AsyncMoments sharing_;      ///< of moments
    std::int64_t slice_;        ///< elements of one
    comm::NodeMemory control_;  ///< turns, and how many updates there have been
    Turns turns_;
    at::Tensor shared_;  ///< the shared arrays, one after the other
    optim::ArenaShard weights_;
    std::vector<optim::Moment> moments_;
    std::optional<optim::ArenaShard> mean_;
    std::vector<std::uint64_t> seen_;  ///< versions of the slices of this rank's copy
    std::int64_t own_steps_ = 0;
};

}  // namespace civitas::async
