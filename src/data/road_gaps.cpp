#include "civitas/data/road_gaps.hpp"

#include "civitas/base/unions.hpp"
#include "plain_image.hpp"

#include <algorithm>
#include <compare>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace civitas::data {
namespace {

constexpr std::int64_t none = -1;

struct Size {
    std::int64_t height = 0, width = 0;
    [[nodiscard]] std::int64_t area() const { return height * width; }
};

/// The pixels that share a side with one.
template <class Visit>
void for_each_beside(Size size, std::int64_t pixel, Visit&& visit) {
    const std::int64_t y = pixel / size.width, x = pixel % size.width;
    if (y > 0) visit(pixel - size.width);
    if (x > 0) visit(pixel - 1);
    if (x + 1 < size.width) visit(pixel + 1);
    if (y + 1 < size.height) visit(pixel + size.width);
}

/// Of a way: a pixel in which there is next to no road is worse than any number of those in doubt.
struct Cost {
    int sure = 0;     ///< pixels with less than least_road_share
    float doubt = 0;  ///< sum of 1 - share
    friend auto operator<=>(const Cost&, const Cost&) = default;
    friend Cost operator+(const Cost& a, const Cost& b) {
        return {a.sure + b.sure, a.doubt + b.doubt};
    }
};

/// What is known of each pixel of a plan of building, road and other.
class Ground {
public:
    Ground(const float* image, Size size) : size_(size) {
        const std::int64_t plane = size.area();
        for (std::int64_t i = 0; i < plane; ++i) {
            const float building = image[i], road = image[plane + i], other = image[2 * plane + i];
            is_road_.push_back(road > other && road >= building);
            const float share = (road + 1) / 2;
            is_open_.push_back(other >= road && other >= building);
            cost_.push_back({share < least_road_share ? 1 : 0, 1 - share});
        }
    }
    [[nodiscard]] Size size() const { return size_; }
    [[nodiscard]] bool is_road(std::int64_t pixel) const {
        return is_road_[static_cast<std::size_t>(pixel)];
    }
    /// Whether a way may lead over the pixel; over no road.
    [[nodiscard]] bool is_open(std::int64_t pixel) const {
        return is_open_[static_cast<std::size_t>(pixel)];
    }
    [[nodiscard]] Cost cost(std::int64_t pixel) const {
        return cost_[static_cast<std::size_t>(pixel)];
    }

private:
    Size size_;
    std::vector<bool> is_road_, is_open_;
    std::vector<Cost> cost_;
};

/// The cheapest ways from the roads to the ground beside them (Dijkstra's algorithm).
struct Ways {
    std::vector<Cost> cost;          ///< 0 on roads
    std::vector<std::int64_t> from;  ///< the pixel before; none on roads
    std::vector<std::int64_t> road;  ///< the pixel of the road that it comes from; none without way
};

Ways ways_on(const Ground& ground, int longest_gap) {
    const auto count = static_cast<std::size_t>(ground.size().area());
    Ways ways{std::vector<Cost>(count), std::vector<std::int64_t>(count, none),
              std::vector<std::int64_t>(count, none)};
    using Open = std::pair<Cost, std::int64_t>;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    for (std::int64_t i = 0; i < ground.size().area(); ++i) {
        if (!ground.is_road(i)) continue;
        ways.road[static_cast<std::size_t>(i)] = i;
        open.emplace(Cost{}, i);
    }
    while (!open.empty()) {
        const auto [cost, pixel] = open.top();
        open.pop();
        if (cost > ways.cost[static_cast<std::size_t>(pixel)]) continue;
        for_each_beside(ground.size(), pixel, [&, cost = cost, pixel = pixel](std::int64_t next) {
            const auto to = static_cast<std::size_t>(next);
            if (!ground.is_open(next)) return;
            const Cost there = cost + ground.cost(next);
            if (there.sure > longest_gap || (ways.road[to] != none && ways.cost[to] <= there))
                return;
            ways.cost[to] = there;
            ways.from[to] = pixel;
            ways.road[to] = ways.road[static_cast<std::size_t>(pixel)];
            open.emplace(ways.cost[to], next);
        });
    }
    return ways;
}

/// The pixels of the ways that join roads which did not hang together (Kruskal's algorithm).
std::vector<std::int64_t> joining_pixels(const Ground& ground, int longest_gap) {
    const Ways ways = ways_on(ground, longest_gap);
    Unions roads(ground.size().area());
    std::vector<std::tuple<Cost, std::int64_t, std::int64_t>> meetings;
    for (std::int64_t i = 0; i < ground.size().area(); ++i)
        for_each_beside(ground.size(), i, [&](std::int64_t next) {
            const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(next);
            if (next < i || ways.road[a] == none || ways.road[b] == none) return;
            if (ground.is_road(i) && ground.is_road(next)) (void)roads.join(i, next);
            const Cost whole = ways.cost[a] + ways.cost[b];
            if (whole.sure <= longest_gap) meetings.emplace_back(whole, i, next);
        });
    std::sort(meetings.begin(), meetings.end());
    std::vector<std::int64_t> pixels;
    for (const auto& [cost, a, b] : meetings) {
        if (!roads.join(ways.road[static_cast<std::size_t>(a)],
                        ways.road[static_cast<std::size_t>(b)]))
            continue;
        for (std::int64_t at : {a, b})
            for (; !ground.is_road(at); at = ways.from[static_cast<std::size_t>(at)])
                pixels.push_back(at);
    }
    return pixels;
}

}  // namespace

at::Tensor with_closed_gaps(const at::Tensor& image_CHW, Coding coding,
                            std::int64_t pixels_of_tile) {
    if (coding != Coding::colour) return plain(image_CHW);
    at::Tensor image = plain(image_CHW).clone();
    float* values = image.mutable_data_ptr<float>();
    const Ground ground(values, {image.size(1), image.size(2)});
    const std::int64_t plane = ground.size().area();
    // Wholly: what is half road would be lost where a plan is enlarged.
    for (const std::int64_t pixel : joining_pixels(ground, longest_gap(pixels_of_tile))) {
        values[plane + pixel] = 1;
        values[2 * plane + pixel] = -1;
    }
    return image;
}

}  // namespace civitas::data
