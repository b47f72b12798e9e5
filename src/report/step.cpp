#include "civitas/report/step.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace civitas::report {
namespace {

std::string percent(double share) { return fixed(100 * share, 0) + " %"; }

std::string seconds_of(double seconds) { return fixed(seconds, seconds < 0.1 ? 3 : 2) + " s"; }

// The largest unit that leaves at least two of it, so that no estimate looks more exact than it is.
std::string duration(double seconds) {
    constexpr double minute = 60, hour = 3600, day = 86400;
    if (seconds < 2 * minute) return fixed(seconds, 0) + " s";
    if (seconds < 2 * hour) return fixed(seconds / minute, 0) + " m";
    if (seconds < 2 * day) return fixed(seconds / hour, 0) + " h";
    return fixed(seconds / day, 0) + " d";
}

void add_values(std::ostream& out, const std::vector<StepValue>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool opens_group = i == 0 || values[i].group != values[i - 1].group;
        out << (opens_group ? " | " : " ") << values[i].label << ' '
            << fixed(values[i].value, values[i].digits);
    }
}

void add_speed(std::ostream& out, const StepRecord& r) {
    const double seconds = seconds_of_a_step(r);
    if (!(seconds > 0)) return;
    out << " | " << seconds_of(seconds);
    if (r.tiles > 0) out << " | " << fixed(static_cast<double>(r.tiles) / seconds, 1) << " tiles/s";
    if (!(r.flops > 0)) return;
    const double speed = r.flops / seconds;
    const double peak = r.peak_flops * static_cast<double>(r.made_alone ? r.made_alone->ranks : 1);
    out << " | " << fixed(speed / 1e9, 0) << " GF/s";
    if (peak > 0) out << " (" << percent(speed / peak) << " of peak)";
}

}  // namespace

void add_ranks(StepRecord& record, std::span<const RankFigures> ranks) {
    double idle = 0;
    for (const RankFigures& rank : ranks) {
        record.communication_share = std::max(record.communication_share, rank.communication_share);
        record.bytes = std::max(record.bytes, rank.bytes);
        idle += rank.bubble_share;
    }
    record.bubble_share = idle / static_cast<double>(ranks.size());
}

double seconds_of_a_step(const StepRecord& r) {
    const double in_a_second = r.made_alone      ? r.made_alone->steps_per_second
                               : r.made_in_parts ? r.made_in_parts->steps_per_second
                                                 : 0;
    return in_a_second > 0 ? 1 / in_a_second : r.seconds;
}

std::string to_line(const StepRecord& r) {
    std::ostringstream out;
    out << "step " << r.step << '/' << r.steps;
    add_values(out, r.values);
    add_speed(out, r);
    if (r.communication_share > 0) out << " | comm " << percent(r.communication_share);
    if (r.bubble_share > 0) out << " | bubble " << percent(r.bubble_share);
    if (r.bytes > 0) out << " | " << fixed(static_cast<double>(r.bytes) / 1e9, 1) << " GB";
    if (r.step < r.steps && r.seconds_left > 0) out << " | eta " << duration(r.seconds_left);
    return out.str();
}

std::string to_json(const StepRecord& r) {
    nlohmann::ordered_json line{
        {"step", r.step},
        {"steps", r.steps},
        {"time", r.time},
        {"epoch", r.epoch},
    };
    for (const StepValue& value : r.values) {
        ensure(!line.contains(value.key), "every value of a step has a key of its own");
        line[value.key] = value.value;
    }
    line.update(nlohmann::ordered_json{
        {"seconds", r.seconds},
        {"tiles", r.tiles},
        {"flops", r.flops},
        {"peak_flops", r.peak_flops},
        {"communication_share", r.communication_share},
        {"bubble_share", r.bubble_share},
        {"bytes", r.bytes},
        {"seconds_left", r.seconds_left},
    });
    if (r.made_in_parts) {
        line["ranks"] = r.made_in_parts->ranks;
        line["staleness"] = r.made_in_parts->staleness;
        line["steps_per_second"] = r.made_in_parts->steps_per_second;
    }
    if (r.made_alone) {
        line["rank"] = r.made_alone->rank;
        line["staleness"] = r.made_alone->staleness;
        line["steps_per_second"] = r.made_alone->steps_per_second;
        line["rank_steps_per_second"] = r.made_alone->rank_steps_per_second;
    }
    for (const CutFigures& cut : r.cuts)
        line["cuts"].push_back({{"from", cut.from},
                                {"to", cut.to},
                                {"bytes", cut.bytes},
                                {"waited_seconds", cut.waited_s}});
    for (const auto& [name, most] : r.held) {
        line["rank_bytes"][name] = most.rank;
        if (r.tells_of_nodes) line["node_bytes"][name] = most.node;
    }
    return line.dump();
}

}  // namespace civitas::report
