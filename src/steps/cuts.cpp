#include "cuts.hpp"

#include <algorithm>

namespace civitas::steps {

TrafficMeter::TrafficMeter(const comm::Mesh& mesh, const comm::PointToPoint* transport)
    : mesh_(mesh), transport_(transport), exchanges_s_(mesh.collectives(Axis::tensor).seconds()) {
    if (transport_ == nullptr) return;
    messages_s_ = transport_->waited();
    by_peer_ = transport_->traffic();
}

void TrafficMeter::add_to(tasks::RankReport& report) const {
    report.communication_s += mesh_.collectives(Axis::tensor).seconds() - exchanges_s_;
    if (transport_ != nullptr) report.waited_s += transport_->waited() - messages_s_;
}

std::vector<tasks::PipeTraffic> TrafficMeter::traffic() const {
    if (transport_ == nullptr) return {};
    std::vector<tasks::PipeTraffic> all(static_cast<std::size_t>(mesh_.shape()[Axis::pipe]));
    for (const auto& [peer, ended] : transport_->traffic()) {
        const auto begun = by_peer_.find(peer);
        const auto then = begun == by_peer_.end() ? comm::PointToPoint::Traffic{} : begun->second;
        all.at(static_cast<std::size_t>(index(comm::place_on_pipe(peer)))) = {
            ended.bytes_sent - then.bytes_sent, ended.waited_s - then.waited_s};
    }
    return all;
}

std::vector<report::CutFigures> cuts_of(const std::vector<std::vector<tasks::PipeTraffic>>& traffic,
                                        const MeshShape& mesh) {
    std::map<std::pair<int, int>, report::CutFigures> cuts;
    const auto cut = [&](int from, int to) -> report::CutFigures& {
        return cuts.try_emplace({from, to}, report::CutFigures{from, to}).first->second;
    };
    for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
        const int here = mesh.coordinate(Rank{static_cast<int>(rank)})[Axis::pipe];
        for (int there = 0; there < std::ssize(traffic[rank]); ++there) {
            const tasks::PipeTraffic& told = traffic[rank][static_cast<std::size_t>(there)];
            cut(here, there).bytes += told.bytes_sent;
            double& longest = cut(there, here).waited_s;
            longest = std::max(longest, told.waited_s);
        }
    }
    std::vector<report::CutFigures> all;
    for (const auto& entry : cuts)
        if (entry.second.bytes > 0) all.push_back(entry.second);
    return all;
}

}  // namespace civitas::steps
