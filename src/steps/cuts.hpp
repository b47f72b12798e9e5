#pragma once
/// What a step sends along a pipe.
#include "civitas/comm/mesh.hpp"
#include "civitas/comm/point_to_point.hpp"
#include "civitas/report/step.hpp"
#include "civitas/tasks/step_meeting.hpp"

#include <map>
#include <vector>

namespace civitas::steps {

/// Counts from its construction on what a rank sends along its pipe, how long it waits for what
/// comes, and how long its exchanges along the tensor axis take.
class TrafficMeter {
public:
    /// `transport`: of the pipe; null without one. Both must outlive this.
    TrafficMeter(const comm::Mesh& mesh, const comm::PointToPoint* transport);
    /// Adds the seconds of exchanges, and those in which messages were waited for.
    void add_to(tasks::RankReport& report) const;
    /// By place on the pipe; none without one.
    [[nodiscard]] std::vector<tasks::PipeTraffic> traffic() const;

private:
    const comm::Mesh& mesh_;
    const comm::PointToPoint* transport_;
    double exchanges_s_, messages_s_ = 0;  ///< when it was made, as is this:
    std::map<Rank, comm::PointToPoint::Traffic> by_peer_;
};

/// Of what all ranks of a mesh have told; none without a pipe. Pure.
[[nodiscard]] std::vector<report::CutFigures> cuts_of(
    const std::vector<std::vector<tasks::PipeTraffic>>& traffic, const MeshShape& mesh);

}  // namespace civitas::steps
