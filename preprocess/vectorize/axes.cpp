#include "axes.hpp"

#include "outline.hpp"
#include "skeleton.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace civitas::vectorize {
namespace {

constexpr double kSpur = 1.0;     // times the road's width: a shorter branch is its corner
constexpr double kCluster = 0.5;  // times the width: junctions so close are one
constexpr long kRoundsOfSmoothing = 3;

/// A line of the graph, with the pixels it runs through.
struct Arc {
    std::size_t from = 0, to = 0;  ///< numbers of its nodes
    std::vector<Point> points;     ///< both nodes' among them
    std::vector<double> widths;
};

double length_of(const std::vector<Point>& points) {
    double sum = 0;
    for (std::size_t i = 1; i < points.size(); ++i) sum += distance(points[i - 1], points[i]);
    return sum;
}

double middle_value(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// The lines of a skeleton between the pixels where three or more meet or one ends, and the points
/// where it crosses the tile's border.
class Graph {
public:
    explicit Graph(const Skeleton& skeleton) : skeleton_(skeleton) {
        const auto pixels = skeleton.pixels();
        for (const Pixel p : pixels) {
            if (skeleton.neighbours(p).size() != 2) add_node(p);
        }
        const auto junctions = node_of_;
        for (const auto& [pixel, node] : junctions) {
            for (const Pixel next : skeleton.neighbours(pixel)) follow(pixel, next);
        }
        for (const Pixel p : pixels) {  // lines from border to border
            for (const Pixel beyond : skeleton.neighbours(p)) {
                if (!skeleton.owned(beyond)) follow(beyond, p);
            }
        }
        for (const Pixel p : pixels) {  // what is left are rings
            if (seen_.contains(p) || node_of_.contains(p)) continue;
            add_node(p);
            follow(p, skeleton.neighbours(p).front());
        }
    }

    /// Take off spurs, one node for each junction, one line for what runs on through a node.
    void tidy() {
        gather(0);
        while (prune_one()) {
        }
        while (chain_one()) {
        }
        gather(kCluster);
        while (chain_one()) {
        }
    }

    [[nodiscard]] const std::vector<Arc>& arcs() const { return arcs_; }

private:
    /// The middle of a pixel; what lies beyond the tile is drawn on its border.
    [[nodiscard]] Point middle(Pixel p) const {
        const double side = skeleton_.side();
        return {std::clamp(static_cast<double>(p.x) + 0.5, 0.0, side),
                std::clamp(side - static_cast<double>(p.y) - 0.5, 0.0, side)};
    }
    /// Where a step leads from one tile to another.
    [[nodiscard]] Point crossing(Pixel a, Pixel b) const {
        const double side = skeleton_.side();
        const double x = (static_cast<double>(a.x + b.x) + 1) / 2;
        const double y = side - (static_cast<double>(a.y + b.y) + 1) / 2;
        return {std::clamp(x, 0.0, side), std::clamp(y, 0.0, side)};
    }

    void add_node(Pixel p) {
        node_of_.emplace(p, places_.size());
        places_.push_back(middle(p));
        fixed_.push_back(!skeleton_.inside(p));
    }

    /// The node at a pixel; where that is another tile's, the one on the border between it and
    /// `owned`, which is added where it is new.
    std::size_t node_at(Pixel p, Pixel owned) {
        if (skeleton_.owned(p)) return node_of_.at(p);
        const auto [found, added] = crossings_.emplace(std::pair{owned, p}, places_.size());
        if (added) {
            places_.push_back(crossing(owned, p));
            fixed_.push_back(true);
        }
        return found->second;
    }

    /// The line that begins at a node with this step, unless it came the other way already.
    void follow(Pixel start, Pixel next) {
        const Pixel first = next;
        Pixel before = start;
        Arc arc;
        while (skeleton_.owned(next) && !node_of_.contains(next)) {
            if (!seen_.insert(next).second) return;
            arc.points.push_back(middle(next));
            if (skeleton_.inside(next)) arc.widths.push_back(skeleton_.width(next));
            const auto around = skeleton_.neighbours(next);
            before = std::exchange(next, around[0] == before ? around[1] : around[0]);
        }
        if (arc.points.empty() && !steps_.insert(std::minmax(start, next)).second) return;
        arc.from = node_at(start, first);
        arc.to = node_at(next, before);
        arc.points.insert(arc.points.begin(), places_[arc.from]);
        arc.points.push_back(places_[arc.to]);
        if (arc.widths.empty()) arc.widths = {skeleton_.width(start), skeleton_.width(next)};
        arcs_.push_back(std::move(arc));
    }

    /// How many lines end at each node.
    [[nodiscard]] std::vector<int> degrees() const {
        std::vector<int> count(places_.size());
        for (const auto& arc : arcs_) ++count[arc.from], ++count[arc.to];
        return count;
    }

    /// Takes off the shortest dead end at a junction that is shorter than the road is wide.
    bool prune_one() {
        const auto degree = degrees();
        const auto dead = [&](std::size_t end, std::size_t junction) {
            return degree[end] == 1 && !fixed_[end] && degree[junction] > 2;
        };
        std::size_t shortest = arcs_.size();
        double least = std::numeric_limits<double>::max();
        for (std::size_t i = 0; i < arcs_.size(); ++i) {
            const auto& arc = arcs_[i];
            if (!dead(arc.from, arc.to) && !dead(arc.to, arc.from)) continue;
            const double length = length_of(arc.points);
            const double wide = *std::max_element(arc.widths.begin(), arc.widths.end());
            if (length < kSpur * wide && length < least) least = length, shortest = i;
        }
        if (shortest == arcs_.size()) return false;
        arcs_.erase(arcs_.begin() + static_cast<std::ptrdiff_t>(shortest));
        return true;
    }

    /// Two lines that alone meet at a node become one.
    bool chain_one() {
        std::map<std::size_t, std::vector<std::size_t>> at;
        for (std::size_t i = 0; i < arcs_.size(); ++i) {
            at[arcs_[i].from].push_back(i);
            at[arcs_[i].to].push_back(i);
        }
        for (const auto& [node, of] : at) {
            if (of.size() != 2 || of[0] == of[1] || fixed_[node]) continue;
            Arc a = arcs_[of[0]], b = arcs_[of[1]];
            if (a.to != node) reverse(a);
            if (b.from != node) reverse(b);
            a.points.insert(a.points.end(), b.points.begin() + 1, b.points.end());
            a.widths.insert(a.widths.end(), b.widths.begin(), b.widths.end());
            a.to = b.to;
            arcs_[of[0]] = std::move(a);
            arcs_.erase(arcs_.begin() + static_cast<std::ptrdiff_t>(of[1]));
            return true;
        }
        return false;
    }

    static void reverse(Arc& arc) {
        std::swap(arc.from, arc.to);
        std::reverse(arc.points.begin(), arc.points.end());
    }

    /// Junctions that a line shorter than `share` of the road's width joins become one, and so do
    /// nodes at the same place.
    void gather(double share) {
        for (bool changed = true; changed;) {
            changed = false;
            const auto degree = degrees();
            for (std::size_t i = 0; i < arcs_.size() && !changed; ++i) {
                const auto& arc = arcs_[i];
                const double length = length_of(arc.points);
                const bool inner = degree[arc.from] > 2 && degree[arc.to] > 2 && arc.from != arc.to;
                changed = length == 0 || (inner && length <= share * middle_value(arc.widths));
                if (changed) contract(i);
            }
        }
    }

    void contract(std::size_t which) {
        const Arc arc = arcs_[which];
        arcs_.erase(arcs_.begin() + static_cast<std::ptrdiff_t>(which));
        const std::size_t kept = arc.from, gone = arc.to;
        places_[kept] = fixed_[kept]   ? places_[kept]
                        : fixed_[gone] ? places_[gone]
                                       : 0.5 * (places_[kept] + places_[gone]);
        fixed_[kept] = fixed_[kept] || fixed_[gone];
        for (auto& other : arcs_) {
            if (other.from == gone) other.from = kept;
            if (other.to == gone) other.to = kept;
            if (other.from == kept) other.points.front() = places_[kept];
            if (other.to == kept) other.points.back() = places_[kept];
        }
    }

    const Skeleton& skeleton_;
    std::map<Pixel, std::size_t> node_of_;
    std::map<std::pair<Pixel, Pixel>, std::size_t> crossings_;  ///< by the pixel here and beyond
    std::vector<Point> places_;                                 ///< of the nodes
    std::vector<bool> fixed_;                                   ///< on the tile's border
    std::set<Pixel> seen_;
    std::set<std::pair<Pixel, Pixel>> steps_;
    std::vector<Arc> arcs_;
};

/// Without the pixels' stairs. A ring is simplified in two halves, as both its ends are one point.
std::vector<Point> simplified_axis(const std::vector<Point>& along, double tolerance) {
    const auto points = smoothed(along, kRoundsOfSmoothing);
    const bool ring = points.front() == points.back();
    const auto half = static_cast<std::ptrdiff_t>(ring ? points.size() / 2 : points.size() - 1);
    const std::vector<Point> there(points.begin(), points.begin() + half + 1);
    const std::vector<Point> back(points.begin() + half, points.end());
    std::vector<Point> line;
    for (const auto k : simplified(there, tolerance)) line.push_back(there[k]);
    for (const auto k : simplified(back, tolerance)) {
        if (k > 0) line.push_back(back[k]);
    }
    return line;
}

}  // namespace

std::vector<RoadAxis> road_axes(const TileInContext& tile, double tolerance) {
    const Skeleton skeleton(tile, kRoad);
    Graph graph(skeleton);
    graph.tidy();
    std::vector<RoadAxis> axes;
    for (const auto& arc : graph.arcs()) {
        auto line = simplified_axis(arc.points, tolerance);
        if (length_of(line) > 0) axes.push_back({std::move(line), middle_value(arc.widths)});
    }
    return axes;
}

}  // namespace civitas::vectorize
