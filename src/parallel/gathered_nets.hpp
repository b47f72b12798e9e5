#pragma once
/// The weights of a rank's nets, where those are whole only while they are used.
#include "civitas/parallel/executor.hpp"

#include <vector>

namespace civitas::parallel {

class GatheredNets {
public:
    /// Of nets whose StageWeights, if any, outlive this.
    explicit GatheredNets(const std::vector<optim::NetParts>& nets);

    /// Does a gather or release.
    void perform(const schedule::Action& action);
    /// Waits for the weights that an action reads.
    void wait_for(const schedule::Action& action) const;
    void progress() const;
    void clear() const;
    /// Seconds spent waiting so far.
    [[nodiscard]] double waited() const noexcept;
    /// Most bytes that were gathered at once.
    [[nodiscard]] std::int64_t peak_bytes() const noexcept { return peak_bytes_; }

private:
    std::vector<optim::StageWeights*> nets_;  ///< null where they are always whole
    std::int64_t peak_bytes_ = 0;
};

}  // namespace civitas::parallel
