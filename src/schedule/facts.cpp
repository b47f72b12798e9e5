#include "facts.hpp"

#include "civitas/schedule/actions.hpp"

#include <cmath>

namespace civitas::schedule {
namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();

std::size_t column_of(const Action& a) {
    constexpr int nets = 2;
    constexpr int passes = 3;
    constexpr int kinds = static_cast<int>(Kind::step) + 1;
    const int visit =
        (a.stage * nets + static_cast<int>(a.net)) * passes + static_cast<int>(a.pass);
    return static_cast<std::size_t>(visit * kinds + static_cast<int>(a.kind));
}

/// Updates are told apart by their coordinate.
std::size_t row_of(const Fact& fact) {
    return of_whole_net(fact.action.kind) ? static_cast<std::size_t>(fact.coordinate)
                                          : static_cast<std::size_t>(index(fact.action.micro));
}

template <class Column>
void reach(std::vector<Column>& rows, std::size_t row, const Column& empty) {
    if (rows.size() <= row) rows.resize(row + 1, empty);
}

}  // namespace

std::vector<Fact> facts_of(const Action& action, int coordinate) {
    if (action.kind != Kind::BW) return {{action, coordinate}};
    return {{with(action, Kind::B), coordinate}, {with(action, Kind::W), coordinate}};
}

bool Facts::add(const Fact& fact, double seconds) {
    reach(columns_, column_of(fact.action), {});
    auto& column = columns_[column_of(fact.action)];
    reach(column, row_of(fact), never);
    double& done = column[row_of(fact)];
    if (!std::isnan(done)) return false;
    done = seconds;
    return true;
}

std::optional<double> Facts::find(const Fact& fact) const {
    const std::size_t column = column_of(fact.action);
    if (column >= columns_.size() || row_of(fact) >= columns_[column].size()) return std::nullopt;
    const double done = columns_[column][row_of(fact)];
    return std::isnan(done) ? std::nullopt : std::optional(done);
}

}  // namespace civitas::schedule
