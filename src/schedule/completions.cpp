#include "completions.hpp"

#include "civitas/schedule/actions.hpp"

namespace civitas::schedule {
namespace {

constexpr std::int64_t never = -1;

/// Updates are told apart by their coordinate.
std::size_t row_of(const Completion& completion) {
    return of_whole_net(completion.action.kind)
               ? static_cast<std::size_t>(completion.coordinate)
               : static_cast<std::size_t>(index(completion.action.micro));
}

}  // namespace

std::vector<Completion> completions_of(const Action& action, PipeCoordinate coordinate) {
    if (of_weights(action.kind)) return {};
    if (action.kind != Kind::BW) return {{action, coordinate}};
    return {{with(action, Kind::B), coordinate}, {with(action, Kind::W), coordinate}};
}

// The columns of a stage are those of its passes, then those of updates, of which there are no more
// than passes.
std::size_t Completions::column_of(const Action& a) const {
    constexpr int kinds = static_cast<int>(Kind::step) + 1;
    const std::int64_t within =
        of_whole_net(a.kind) ? passes_ + index(a.net) : std::int64_t{index(a.pass)};
    return static_cast<std::size_t>((std::int64_t{index(a.stage)} * 2 * passes_ + within) * kinds +
                                    static_cast<int>(a.kind));
}

bool Completions::add(const Completion& completion, std::int64_t number) {
    const std::size_t at = column_of(completion.action);
    if (columns_.size() <= at) columns_.resize(at + 1);
    auto& column = columns_[at];
    const std::size_t row = row_of(completion);
    if (column.size() <= row) column.resize(row + 1, never);
    if (column[row] != never) return false;
    column[row] = number;
    return true;
}

std::optional<std::int64_t> Completions::find(const Completion& completion) const {
    const std::size_t column = column_of(completion.action);
    if (column >= columns_.size() || row_of(completion) >= columns_[column].size())
        return std::nullopt;
    const std::int64_t number = columns_[column][row_of(completion)];
    return number == never ? std::nullopt : std::optional(number);
}

}  // namespace civitas::schedule
