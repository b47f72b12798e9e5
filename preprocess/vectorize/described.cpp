#include "described.hpp"

#include "stretch.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace civitas::vectorize {
namespace {

constexpr std::size_t kPlaces = 80;  // for corners, looked at in a run
// The residual at which an edge is given up, in prices of a square one.
constexpr double kHopeless = 15, kHopelessPerCrack = 0.25;
constexpr double kSameDirection = 0.005;  // radians

struct Piece {
    std::size_t first, last;
    Kind kind;
};

struct Pieces {
    std::vector<Piece> all;
    double cost = kNever;
};

/// Two edges along one axis cannot follow each other.
constexpr bool may_follow(Kind before, Kind after) { return before != after || after == kSlanted; }

/// The cheapest way to cut a run into edges at some of the places given, numbers of cracks that end
/// with the run's size. A closed one is cut before its first crack, too.
class Cutting {
public:
    Cutting(const Stretch& run, const Prices& prices, std::vector<std::size_t> places)
        : run_(run),
          prices_{prices.square, prices.square, prices.slanted},
          places_(std::move(places)) {
        for (auto& of_first : best_) {
            for (auto& of_kind : of_first) of_kind.resize(places_.size());
        }
        for (std::size_t i = 0; i + 1 < places_.size(); ++i) extend(i);
    }

    [[nodiscard]] Pieces cheapest() const {
        Pieces pieces;
        Kind first = 0, last = 0;
        for (Kind f = 0; f < kKinds; ++f) {
            for (Kind k = 0; k < kKinds; ++k) {
                const double cost = best_[f][k].back().cost;
                if ((run_.closed() && !may_follow(k, f)) || cost >= pieces.cost) continue;
                pieces.cost = cost, first = f, last = k;
            }
        }
        if (pieces.cost == kNever) return pieces;
        for (std::size_t end = places_.size() - 1; end > 0;) {
            const auto& step = best_[first][last][end];
            pieces.all.push_back({places_[step.start], places_[end], last});
            end = step.start, last = step.before;
        }
        std::reverse(pieces.all.begin(), pieces.all.end());
        return pieces;
    }

private:
    struct Step {
        double cost = kNever;
        std::size_t start = 0;
        Kind before = 0;
    };

    /// Edges that begin at this place.
    void extend(std::size_t start) {
        std::array<std::array<std::pair<double, Kind>, kKinds>, kKinds> before;
        for (Kind f = 0; f < kKinds; ++f) {
            for (Kind k = 0; k < kKinds; ++k) before[f][k] = cheapest_before(f, k, start);
        }
        for (std::size_t end = start + 1; end < places_.size(); ++end) {
            const auto residuals = run_.residuals(places_[start], places_[end]);
            const auto cracks = static_cast<double>(places_[end] - places_[start]);
            const double most = (kHopeless + kHopelessPerCrack * cracks) * prices_[kAlong];
            if (std::min({residuals[0], residuals[1], residuals[2]}) > most) break;
            for (Kind k = 0; k < kKinds; ++k) {
                if (residuals[k] > most) continue;
                for (Kind f = 0; f < kKinds; ++f) {
                    const auto& [paid, last] = before[f][k];
                    if (paid == kNever) continue;
                    auto& step = best_[f][k][end];
                    const double cost = paid + prices_[k] + residuals[k];
                    if (cost < step.cost) step = {cost, start, last};
                }
            }
        }
    }

    /// Cost of what comes before an edge of kind k that begins here, the first edge being of kind
    /// f.
    [[nodiscard]] std::pair<double, Kind> cheapest_before(Kind f, Kind k, std::size_t start) const {
        if (start == 0) return {f == k ? 0 : kNever, k};
        std::pair<double, Kind> cheapest{kNever, k};
        for (Kind b = 0; b < kKinds; ++b) {
            const double cost = best_[f][b][start].cost;
            if (may_follow(b, k) && cost < cheapest.first) cheapest = {cost, b};
        }
        return cheapest;
    }

    const Stretch& run_;
    std::array<double, kKinds> prices_;
    std::vector<std::size_t> places_;
    /// By the kinds of the first edge and of the last: how the cracks so far are described best.
    std::array<std::array<std::vector<Step>, kKinds>, kKinds> best_;
};

/// Every crack, or of long runs some: then again the cracks about the corners that these make.
Pieces cheapest(const Stretch& run, const Prices& prices) {
    const std::size_t n = run.size(), stride = 1 + n / kPlaces;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < n; i += stride) places.push_back(i);
    places.push_back(n);
    auto pieces = Cutting(run, prices, places).cheapest();
    if (stride == 1) return pieces;
    std::vector<std::size_t> near{0};
    for (const auto& piece : pieces.all) {
        const std::size_t low =
            std::max(near.back(), piece.last - std::min(piece.last, stride)) + 1;
        for (std::size_t i = low; i <= std::min(n, piece.last + stride); ++i) near.push_back(i);
    }
    return Cutting(run, prices, near).cheapest();
}

struct CutStretch {
    Stretch run;
    Pieces pieces;
};

/// A ring is cut at its farthest point first, then at a corner that this finds.
CutStretch cut(const Stretch& run, const Prices& prices) {
    if (!run.closed()) return {run, cheapest(run, prices)};
    const auto tip = run.from(run.tip());
    const auto first = cheapest(tip, prices);
    if (first.all.size() < 2) return {tip, first};
    auto again = tip.from(first.all[first.all.size() / 2].first);
    auto pieces = cheapest(again, prices);
    return {std::move(again), std::move(pieces)};
}

double price_of(const Pieces& pieces, const Prices& prices) {
    double sum = 0;
    for (const auto& piece : pieces.all)
        sum += piece.kind == kSlanted ? prices.slanted : prices.square;
    return sum;
}

}  // namespace

Description described(const std::vector<Crack>& ring, double direction, const Prices& prices) {
    Description all;
    all.direction = direction;
    double spread = 0, mixed = 0;
    auto parts = parts_at_border(ring);
    for (auto& [cracks, border] : parts) {
        if (border) {
            const auto edges = fitted_edges(cracks, 1);
            all.edges.insert(all.edges.end(), edges.begin(), edges.end());
            continue;
        }
        const auto [run, pieces] = cut({std::move(cracks), direction, parts.size() == 1}, prices);
        all.cost += pieces.cost;
        all.residual += pieces.cost - price_of(pieces, prices);
        for (const auto& piece : pieces.all) {
            all.edges.push_back(run.edge(piece.first, piece.last, piece.kind));
            if (piece.kind == kSlanted) continue;
            const auto s = run.scatter(piece.first, piece.last);
            const double sign = piece.kind == kAlong ? 1 : -1;
            spread += sign * (s.from_across() - s.from_along()), mixed += sign * s.mixed();
        }
    }
    all.better = direction + std::atan2(2 * mixed, spread) / 2;
    return all;
}

Description described(const std::vector<Crack>& ring, const std::vector<double>& directions,
                      const Prices& prices) {
    Description best;
    best.cost = kNever;
    for (const double direction : directions) {
        auto first = described(ring, direction, prices);
        if (std::abs(first.better - direction) > kSameDirection) {
            auto second = described(ring, first.better, prices);
            if (second.cost < first.cost) first = std::move(second);
        }
        if (first.cost < best.cost) best = std::move(first);
    }
    return best;
}

}  // namespace civitas::vectorize
