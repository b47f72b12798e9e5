#include "cuts.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::steps {
namespace {

PipeCoordinate next_to(PipeCoordinate here, int by, int coordinates) {
    return PipeCoordinate{(index(here) + by + coordinates) % coordinates};
}

}  // namespace

TrafficMeter::TrafficMeter(const comm::Mesh& mesh, const comm::PointToPoint* transport)
    : mesh_(mesh), transport_(transport), begun_(now()) {}

TrafficMeter::Counts TrafficMeter::now() const {
    const double exchanges_s = mesh_.collectives(Axis::tensor).seconds();
    if (transport_ == nullptr) return {.exchanges_s = exchanges_s};
    return {exchanges_s, transport_->waited(), transport_->traffic()};
}

void TrafficMeter::add_to(tasks::RankReport& report) const {
    const Counts ended = now();
    report.communication_s += ended.exchanges_s - begun_.exchanges_s;
    report.waited_s += ended.messages_s - begun_.messages_s;
    const PipeCoordinate here = mesh_.coordinate().pipe();
    const int coordinates = mesh_.shape()[Axis::pipe];
    for (const auto& [peer, now] : ended.by_peer) {
        const PipeCoordinate there = comm::place_on_pipe(peer);
        const bool is_after = there == next_to(here, 1, coordinates);
        ensure(is_after || there == next_to(here, -1, coordinates),
               "messages go to those next to a rank of a pipe");
        const auto found = begun_.by_peer.find(peer);
        const auto then =
            found == begun_.by_peer.end() ? comm::PointToPoint::Traffic{} : found->second;
        (is_after ? report.after : report.before) = {now.bytes_sent - then.bytes_sent,
                                                     now.waited_s - then.waited_s};
    }
}

std::vector<report::CutFigures> cuts_of(std::span<const tasks::RankReport> ranks,
                                        const MeshShape& mesh) {
    const int coordinates = mesh[Axis::pipe];
    std::map<std::pair<int, int>, report::CutFigures> cuts;
    const auto cut = [&](PipeCoordinate from, PipeCoordinate to) -> report::CutFigures& {
        return cuts.try_emplace({index(from), index(to)}, index(from), index(to)).first->second;
    };
    for (const Rank rank : each<Rank>(static_cast<int>(ranks.size()))) {
        const PipeCoordinate here = mesh.coordinate(rank).pipe();
        const tasks::RankReport& told = ranks[static_cast<std::size_t>(rank)];
        for (const auto& [traffic, by] : {std::pair{told.before, -1}, std::pair{told.after, 1}}) {
            const PipeCoordinate there = next_to(here, by, coordinates);
            cut(here, there).bytes += traffic.bytes_sent;
            double& longest = cut(there, here).waited_s;
            longest = std::max(longest, traffic.waited_s);
        }
    }
    std::vector<report::CutFigures> all;
    for (const auto& entry : cuts)
        if (entry.second.bytes > 0) all.push_back(entry.second);
    return all;
}

}  // namespace civitas::steps
