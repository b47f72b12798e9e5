#include "civitas/schedule/actions.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace civitas::schedule {
namespace {

constexpr std::array<std::string_view, 10> kind_names{
    "F", "B", "W", "BW", "redraw", "recompute", "gather", "release", "reduce", "step"};

template <class E, std::size_t n>
std::optional<E> named(const std::array<std::string_view, n>& names, std::string_view name) {
    for (std::size_t i = 0; i < n; ++i)
        if (names[i] == name) return static_cast<E>(i);
    return std::nullopt;
}

template <class Integer>
std::optional<Integer> number(std::string_view digits) {
    Integer value{};
    const char* end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || at != end || value < 0) return std::nullopt;
    return value;
}

/// Cuts off and returns what stands before the first `mark`; all of it without one.
std::string_view cut(std::string_view& rest, char mark) {
    const std::size_t at = rest.find(mark);
    const std::string_view first = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
    return first;
}

/// `D`, `G0`: the net that a word begins with, and how many letters that takes.
std::optional<NetId> net_named(const StepGraph& graph, std::string_view word) {
    const auto name = word.substr(0, word.find_first_of("0123456789"));
    const auto found = std::find(graph.nets.begin(), graph.nets.end(), name);
    if (found == graph.nets.end()) return std::nullopt;
    return NetId{static_cast<int>(found - graph.nets.begin())};
}

bool parse_net(const StepGraph& graph, std::string_view word, Action& action, bool& has_stage) {
    const auto net = net_named(graph, word);
    if (!net) return false;
    action.net = *net;
    const std::string_view digits = word.substr(graph[*net].size());
    has_stage = !digits.empty();
    if (!has_stage) return true;
    const auto stage = number<int>(digits);
    action.stage = StageId{stage.value_or(0)};
    return stage.has_value();
}

/// A pass of the net, or else of any: the check says what passes a net has.
std::optional<PassId> pass_named(const StepGraph& graph, NetId net, std::string_view name) {
    std::optional<PassId> other;
    for (const PassId pass : graph.pass_ids()) {
        if (graph[pass].name != name) continue;
        if (graph[pass].net == net) return pass;
        other = pass;
    }
    return other;
}

/// `F3`, `redraw0`.
bool parse_kind(std::string_view word, Action& action) {
    const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
    const auto kind = named<Kind>(kind_names, word.substr(0, digits));
    const auto micro = number<std::int64_t>(word.substr(digits));
    if (!kind || !micro || !of_visit(*kind)) return false;
    action.kind = *kind;
    action.micro = LocalMicroBatch{*micro};
    return true;
}

std::optional<Action> parse_action(const StepGraph& graph, std::string_view word) {
    Action action;
    bool has_stage = false;
    if (!parse_net(graph, cut(word, '.'), action, has_stage)) return std::nullopt;
    if (const auto kind = named<Kind>(kind_names, word)) {
        if (has_stage ? !of_weights(*kind) : !of_whole_net(*kind)) return std::nullopt;
        action.kind = *kind;
        return action;
    }
    if (!has_stage) return std::nullopt;
    const auto pass = pass_named(graph, action.net, cut(word, '.'));
    if (!pass || !parse_kind(word, action)) return std::nullopt;
    action.pass = *pass;
    return action;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr std::string_view blanks = " \t\r";
    for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(blanks, end);
    }
    return words;
}

/// What a terminal can show of a word that may be of any file.
std::string shown(std::string_view word) {
    constexpr std::size_t longest = 40;
    return printable(word.substr(0, longest));
}

/// Where in a file, or in a text of none.
struct TextPlace {
    std::string_view file;
    int line = 1;
};

[[noreturn]] void refuse(const TextPlace& at, std::string_view what, std::string_view word) {
    throw UsageError(text("schedule", at.file.empty() ? "" : " ", at.file, ", line ", at.line, ": ",
                          what, " '", shown(word), "'"),
                     Hint{"words look like D0.real.F3, G0.generate.W2, G0.generate.redraw1, "
                          "D1.gather, D.reduce, G.step; the first line is 'schedule NAME'"});
}

}  // namespace

std::string_view to_string(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::string to_string(const StepGraph& graph, const Action& action) {
    const std::string& net = graph[action.net];
    const std::string kind(kind_names.at(static_cast<std::size_t>(action.kind)));
    if (of_whole_net(action.kind)) return net + "." + kind;
    const std::string stage = net + std::to_string(index(action.stage)) + ".";
    if (of_weights(action.kind)) return stage + kind;
    return stage + graph[action.pass].name + "." + kind + std::to_string(index(action.micro));
}

std::string to_string(const Schedule& schedule) {
    std::string out = "schedule " + schedule.name + "\n";
    for (const auto& actions : schedule.coordinates) {
        for (const Action& action : actions) {
            if (out.back() != '\n') out += ' ';
            out += to_string(schedule.graph, action);
        }
        out += '\n';
    }
    return out;
}

Schedule parse_schedule(const StepGraph& graph, std::string_view text, std::string_view file) {
    Schedule schedule;
    schedule.graph = graph;
    for (TextPlace line{file}; !text.empty(); ++line.line) {
        std::string_view rest = cut(text, '\n');
        const auto words = words_of(cut(rest, '#'));
        if (words.empty()) continue;
        if (schedule.name.empty()) {
            if (words.size() != 2 || words[0] != "schedule")
                refuse(line, "no 'schedule NAME' but", words[0]);
            schedule.name = words[1];
            continue;
        }
        auto& actions = schedule.coordinates.emplace_back();
        for (const std::string_view word : words) {
            const auto action = parse_action(graph, word);
            if (!action) refuse(line, "not an action:", word);
            actions.push_back(*action);
        }
    }
    if (schedule.coordinates.empty()) refuse({file}, "holds no actions:", schedule.name);
    return schedule;
}

}  // namespace civitas::schedule
