#pragma once
/// When sums over replicas are there, in a run on paper. Seconds since the step began.
#include "civitas/schedule/simulator.hpp"

#include <map>
#include <utility>
#include <vector>

namespace civitas::schedule {

/// The sums of a coordinate follow each other on a link of their own.
class SumTimes {
public:
    explicit SumTimes(std::size_t coordinates) : free_(coordinates) {}

    /// Takes down the sums of what a W or BW has made that ended at `end_s`.
    void add(const Action& made, PipeCoordinate coordinate, double end_s, const SumCosts& costs);
    /// The end of the last sum of a net on a coordinate; 0 where there was none.
    [[nodiscard]] double end_of(NetId net, PipeCoordinate coordinate) const;

private:
    std::vector<double> free_;  ///< by coordinate: all sums so far are done
    std::map<std::pair<NetId, PipeCoordinate>, double> last_;
};

}  // namespace civitas::schedule
