#include "civitas/net/partition.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/layer_kinds.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace civitas::net {
namespace {

std::vector<Range> whole_blocks(const NetDescription& net) {
    std::vector<Range> blocks;
    for (std::int64_t i = 0; i < std::ssize(net.layers); ++i) {
        if (blocks.empty() || begins_block(net.layers[static_cast<std::size_t>(i)]))
            blocks.push_back({i, 0});
        ++blocks.back().count;
    }
    return blocks;
}

/// What a stage costs the coordinate that holds it.
struct Load {
    double seconds = 0;
    std::int64_t bytes = 0;
    friend Load operator+(Load a, Load b) { return {a.seconds + b.seconds, a.bytes + b.bytes}; }
};

/// Any run of a net's blocks, counted from the end that the first coordinate holds.
class Runs {
public:
    explicit Runs(const NetBlocks& net)
        : blocks_(net.blocks), reversed_(net.reversed), sums_{Load{}} {
        for (const Block& block : blocks_)
            sums_.push_back(sums_.back() + Load{block.seconds, block.bytes});
    }
    [[nodiscard]] std::size_t size() const { return blocks_.size(); }
    [[nodiscard]] bool reversed() const { return reversed_; }
    [[nodiscard]] Load load(std::size_t from, std::size_t to) const {
        const auto [begin, end] = places(from, to);
        const double sending = end < size() ? blocks_[end - 1].cut_seconds : 0;
        const double receiving = begin > 0 ? blocks_[begin - 1].cut_seconds : 0;
        return {sums_[end].seconds - sums_[begin].seconds + sending + receiving,
                sums_[end].bytes - sums_[begin].bytes};
    }
    [[nodiscard]] Range layers(std::size_t from, std::size_t to) const {
        const auto [begin, end] = places(from, to);
        const std::int64_t first = blocks_[begin].layers.begin;
        return {first, blocks_[end - 1].layers.end() - first};
    }

private:
    [[nodiscard]] std::pair<std::size_t, std::size_t> places(std::size_t from,
                                                             std::size_t to) const {
        return reversed_ ? std::pair{size() - to, size() - from} : std::pair{from, to};
    }

    std::span<const Block> blocks_;
    bool reversed_;
    std::vector<Load> sums_;  ///< of the first blocks
};

/// How many blocks of each net the first coordinates hold.
using Counts = std::vector<std::size_t>;

/// Slowest coordinate of the best way to share them, and what those before the last hold of them.
struct Best {
    double seconds = std::numeric_limits<double>::infinity();
    Counts before;
};

/// best(p, counts) = min over before of max(best(p - 1, before), load of before to counts).
class PartitionSearch {
public:
    PartitionSearch(const std::vector<NetBlocks>& nets, int stages, std::int64_t cap)
        : nets_(nets.begin(), nets.end()), cap_(cap), best_(static_cast<std::size_t>(stages) + 1) {
        std::size_t ways = 1;
        for (const Runs& net : nets_) ways *= net.size() + 1;
        for (auto& table : best_) table.resize(ways);
        Counts counts(nets_.size());
        at(0, counts).seconds = 0;
        for (std::size_t held = 1; held < best_.size(); ++held) fill(held, counts, 0);
    }

    [[nodiscard]] bool found() const {
        return best_.back().back().seconds < std::numeric_limits<double>::infinity();
    }

    [[nodiscard]] StagesOfNets stages() {
        StagesOfNets stages(nets_.size());
        Counts to;
        for (const Runs& net : nets_) to.push_back(net.size());
        for (std::size_t held = best_.size() - 1; held > 0; --held) {
            const Counts& from = at(held, to).before;
            for (std::size_t n = 0; n < nets_.size(); ++n)
                stages[n].push_back(nets_[n].layers(from[n], to[n]));
            to = from;
        }
        for (std::size_t n = 0; n < nets_.size(); ++n)
            if (!nets_[n].reversed()) std::reverse(stages[n].begin(), stages[n].end());
        return stages;
    }

private:
    Best& at(std::size_t held, const Counts& counts) {
        std::size_t place = 0;
        for (std::size_t n = 0; n < nets_.size(); ++n)
            place = place * (nets_[n].size() + 1) + counts[n];
        return best_[held][place];
    }

    /// For all counts of the nets from `net` on.
    void fill(std::size_t held, Counts& counts, std::size_t net) {
        if (net == nets_.size()) {
            Counts before(counts.size());
            return extend({held, counts, at(held, counts)}, before, 0, {});
        }
        for (counts[net] = held; counts[net] <= nets_[net].size(); ++counts[net])
            fill(held, counts, net + 1);
    }

    /// A place of the table.
    struct Place {
        std::size_t held;
        const Counts& counts;
        Best& best;
    };
    /// For all that the coordinates before the last may hold of the nets from `net` on. `last`:
    /// what the last has of those before `net`.
    void extend(const Place& place, Counts& before, std::size_t net, Load last) {
        if (net == nets_.size()) {
            const double slowest = std::max(at(place.held - 1, before).seconds, last.seconds);
            if (slowest < place.best.seconds) place.best = {slowest, before};
            return;
        }
        for (std::size_t from = place.counts[net]; from-- > place.held - 1;) {
            const Load more = last + nets_[net].load(from, place.counts[net]);
            if (more.bytes > cap_) break;
            before[net] = from;
            extend(place, before, net + 1, more);
        }
    }

    std::vector<Runs> nets_;
    std::int64_t cap_;
    std::vector<std::vector<Best>> best_;  ///< by number of coordinates, then by what they hold
};

}  // namespace

std::vector<Range> blocks_of(const NetDescription& net, int stages) {
    auto blocks = whole_blocks(net);
    if (stages <= std::ssize(blocks)) return blocks;
    if (stages > std::ssize(net.layers))
        throw UsageError(text("net ", net.name, " has ", net.layers.size(), " layers, ", stages,
                              " stages are asked for"),
                         Hint{"a smaller pipe axis, or a schedule with fewer stages a rank"});
    blocks.clear();
    for (std::int64_t i = 0; i < std::ssize(net.layers); ++i) blocks.push_back({i, 1});
    return blocks;
}

std::optional<StagesOfNets> partition(const std::vector<NetBlocks>& nets, int stages,
                                      std::int64_t cap) {
    for (const NetBlocks& net : nets)
        if (stages < 1 || stages > std::ssize(net.blocks))
            throw UsageError(
                text(net.blocks.size(), " blocks cannot be cut into ", stages, " stages"));
    PartitionSearch search(nets, stages, cap);
    if (!search.found()) return std::nullopt;
    return search.stages();
}

std::vector<Range> partition_as(const NetDescription& net, const std::vector<std::int64_t>& counts,
                                int stages) {
    const auto blocks = blocks_of(net, stages);
    const auto all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const bool positive = std::all_of(counts.begin(), counts.end(), [](auto n) { return n > 0; });
    if (std::ssize(counts) != stages || all != std::ssize(blocks) || !positive)
        throw UsageError(
            text("net ", net.name, " has ", blocks.size(), " blocks for ", stages,
                 " stages, --stages names ", counts.size(), " stages with ", all, " blocks"),
            Hint{"as many numbers as stages, each at least 1, adding up to the "
                 "blocks (a block: a convolution with what follows it)"});
    std::vector<Range> cut;
    std::size_t next = 0;
    for (const std::int64_t count : counts) {
        const std::int64_t begin = blocks[next].begin;
        next += static_cast<std::size_t>(count);
        cut.push_back({begin, blocks[next - 1].end() - begin});
    }
    return cut;
}

}  // namespace civitas::net
