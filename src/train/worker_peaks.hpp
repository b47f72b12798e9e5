#pragma once
/// How fast workers could be.
#include <cstdint>
#include <map>

namespace civitas::train {

/// Operations a second of matrix products of all workers, each by its own measurement.
class WorkerPeaks {
public:
    explicit WorkerPeaks(int workers) : workers_(workers) {}

    void tell(std::int64_t worker, double flops) { told_[worker] = flops; }
    /// Who has told nothing yet counts as the mean of the others; 0 where nobody has.
    [[nodiscard]] double sum() const {
        double known = 0;
        for (const auto& entry : told_) known += entry.second;
        return told_.empty() ? 0 : known * workers_ / static_cast<double>(told_.size());
    }

private:
    int workers_;
    std::map<std::int64_t, double> told_;
};

}  // namespace civitas::train
