#pragma once
/// Tables of every name and shape, and ways to break them.
#include "civitas/base/error.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/schedule.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace civitas::test {

using schedule::Action;
using schedule::Kind;
using schedule::Schedule;
using schedule::ScheduleShape;

inline const std::vector<std::string> schedule_names{"naive",         "gpipe",       "1f1b",
                                                     "interleaved:2", "zero-bubble", "gan"};

inline ScheduleShape shape_of(const std::string& name, int coordinates,
                              std::int64_t micro_batches) {
    return {.graph = schedule::gan::graph(),
            .coordinates = coordinates,
            .chunks = schedule::chunks_of(name),
            .micro_batches = micro_batches};
}

/// One net, one pass.
inline schedule::StepGraph classifier() {
    return {.nets = {"C"}, .passes = {{.name = "train", .net = schedule::NetId{0}}}};
}

/// Calls with (name, shape) for every name, P in 1, 2, 4, M in 2, 4, 8, redraw, recompute, place.
template <class Visit>
void for_all_tables(const Visit& visit) {
    for (const auto& name : schedule_names)
        for (const int p : {1, 2, 4})
            for (const int m : {2, 4, 8})
                for (int bits = 0; bits < 8; ++bits) {
                    ScheduleShape shape = shape_of(name, p, m);
                    shape.redraw = (bits & 1) != 0;
                    shape.recompute = (bits & 2) != 0;
                    shape.reversed = (bits & 4) != 0;
                    if (shape.chunks == 1 || m % p == 0) visit(name, shape);
                }
}

/// B and W in place of BW.
inline Schedule apart(Schedule schedule) {
    for (auto& actions : schedule.coordinates)
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (actions[i].kind != Kind::BW) continue;
            actions[i].kind = Kind::B;
            actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(i) + 1, actions[i]);
            actions[i + 1].kind = Kind::W;
        }
    return schedule;
}

/// The action that reads `word`, where its coordinate has it first.
inline std::vector<Action>::iterator find_in(Schedule& schedule, const std::string& word) {
    for (auto& actions : schedule.coordinates) {
        const auto at = std::find_if(actions.begin(), actions.end(), [&](const Action& a) {
            return to_string(schedule::gan::graph(), a) == word;
        });
        if (at != actions.end()) return at;
    }
    FAIL(word << " is not in the table");
    return {};
}

inline std::vector<Action>& list_with(Schedule& schedule, const std::string& word) {
    const auto wanted = find_in(schedule, word);
    return *std::find_if(
        schedule.coordinates.begin(), schedule.coordinates.end(), [&](const auto& actions) {
            return &*wanted >= actions.data() && &*wanted < actions.data() + actions.size();
        });
}

inline Schedule without(Schedule schedule, const std::string& word) {
    list_with(schedule, word).erase(find_in(schedule, word));
    return schedule;
}

inline Schedule swapped(Schedule schedule, const std::string& a, const std::string& b) {
    std::iter_swap(find_in(schedule, a), find_in(schedule, b));
    return schedule;
}

inline Schedule repeated(Schedule schedule, const std::string& word) {
    auto& actions = list_with(schedule, word);
    const auto at = find_in(schedule, word);
    actions.insert(at, Action(*at));
    return schedule;
}

/// Moves `word` to just before `other`, which has the same coordinate.
inline Schedule moved(Schedule schedule, const std::string& word, const std::string& other) {
    const Action action = *find_in(schedule, word);
    schedule = without(std::move(schedule), word);
    list_with(schedule, other).insert(find_in(schedule, other), action);
    return schedule;
}

}  // namespace civitas::test
