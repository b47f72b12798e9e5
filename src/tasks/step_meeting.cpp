#include "civitas/tasks/step_meeting.hpp"

#include <algorithm>
#include <cstring>

namespace civitas::tasks {

Trouble StepReports::worst() const {
    Trouble worst = Trouble::none;
    for (const RankReport& rank : ranks) worst = std::max(worst, rank.trouble);
    return worst;
}

BetweenSteps StepReports::next() const {
    BetweenSteps all;
    for (const RankReport& rank : ranks) {
        all.wish = std::max(all.wish, rank.next.wish);
        all.save_is_due = all.save_is_due || rank.next.save_is_due;
        all.writing_is_done = all.writing_is_done && rank.next.writing_is_done;
    }
    return all;
}

double StepReports::seconds() const {
    double last = 0;
    for (const RankReport& rank : ranks) last = std::max(last, rank.arrived_s);
    return last;
}

StepMeeting::StepMeeting(const comm::Mesh& mesh, FiguresOfStep figures)
    : mesh_(mesh), figures_(figures), places_(static_cast<std::size_t>(mesh.shape()[Axis::pipe])) {
    const auto always =
        static_cast<std::int64_t>(sizeof(RankReport) + places_ * sizeof(PipeTraffic));
    std::int64_t begin = 0;
    for (int rank = 0; rank < mesh_.world().size(); ++rank) {
        const Coordinate at = mesh_.shape().coordinate(Rank{rank});
        const std::int64_t numbers = brings_figures(at) ? share_at(at).count() * figures_.width : 0;
        bytes_.push_back({begin, always + numbers * std::int64_t{sizeof(double)}});
        begin = bytes_.back().end();
    }
}

bool StepMeeting::brings_figures(const Coordinate& at) const {
    return at.pipe() == figures_.pipe && at[Axis::tensor] == 0;
}

MicroBatchShare StepMeeting::share_at(const Coordinate& at) const {
    return own_micro_batches(figures_.micro_batches, mesh_.shape(), at, figures_.sharing);
}

StepReports StepMeeting::meet(const RankReport& mine, std::vector<double> figures,
                              std::vector<PipeTraffic> traffic) const {
    std::vector<std::byte> told(static_cast<std::size_t>(bytes_.back().end()));
    const Range own = bytes_[static_cast<std::size_t>(index(mesh_.world().rank()))];
    std::byte* here = told.data() + own.begin;
    const auto write = [&](const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(here, from, bytes);
        here += bytes;
    };
    write(&mine, sizeof mine);
    traffic.resize(places_);
    write(traffic.data(), places_ * sizeof(PipeTraffic));
    figures.resize(static_cast<std::size_t>(told.data() + own.end() - here) / sizeof(double));
    write(figures.data(), figures.size() * sizeof(double));
    mesh_.world().all_gather_short_slices(std::span<std::byte>(told), bytes_);
    return reports_of(told);
}

StepReports StepMeeting::reports_of(std::span<const std::byte> told) const {
    const auto width = static_cast<std::size_t>(figures_.width);
    StepReports reports;
    reports.figures.resize(static_cast<std::size_t>(figures_.micro_batches) * width);
    for (std::size_t rank = 0; rank < bytes_.size(); ++rank) {
        const std::byte* next = told.data() + bytes_[rank].begin;
        const auto read = [&](void* to, std::size_t bytes) {
            std::memcpy(to, next, bytes);
            next += bytes;
        };
        read(&reports.ranks.emplace_back(), sizeof(RankReport));
        read(reports.traffic.emplace_back(places_).data(), places_ * sizeof(PipeTraffic));
        const Coordinate at = mesh_.shape().coordinate(Rank{static_cast<int>(rank)});
        if (!brings_figures(at)) continue;
        const MicroBatchShare share = share_at(at);
        for (std::int64_t i = 0; i < share.count(); ++i) {
            const auto micro = static_cast<std::size_t>(share.global(LocalMicroBatch{i}));
            read(reports.figures.data() + micro * width, width * sizeof(double));
        }
    }
    return reports;
}

}  // namespace civitas::tasks
