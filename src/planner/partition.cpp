#include "civitas/planner/partition.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/layer_kinds.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace civitas::planner {
namespace {

std::vector<Range> whole_blocks(const net::NetDescription& net) {
    std::vector<Range> blocks;
    for (std::int64_t i = 0; i < std::ssize(net.layers); ++i) {
        if (blocks.empty() || net::convolves(net.layers[static_cast<std::size_t>(i)]))
            blocks.push_back({i, 0});
        ++blocks.back().count;
    }
    return blocks;
}

/// Seconds and bytes of any run of blocks.
class Loads {
public:
    explicit Loads(std::span<const Block> blocks) : blocks_(blocks), seconds_{0}, bytes_{0} {
        for (const Block& block : blocks) {
            seconds_.push_back(seconds_.back() + block.seconds);
            bytes_.push_back(bytes_.back() + block.bytes);
        }
    }
    [[nodiscard]] std::size_t size() const { return blocks_.size(); }
    [[nodiscard]] double seconds(std::size_t begin, std::size_t end) const {
        const double sending = end < blocks_.size() ? blocks_[end - 1].cut_seconds : 0;
        const double receiving = begin > 0 ? blocks_[begin - 1].cut_seconds : 0;
        return seconds_[end] - seconds_[begin] + sending + receiving;
    }
    [[nodiscard]] std::int64_t bytes(std::size_t begin, std::size_t end) const {
        return bytes_[end] - bytes_[begin];
    }
    [[nodiscard]] Range layers(std::size_t begin, std::size_t end) const {
        const std::int64_t first = blocks_[begin].layers.begin;
        return {first, blocks_[end - 1].layers.end() - first};
    }

private:
    std::span<const Block> blocks_;
    std::vector<double> seconds_;
    std::vector<std::int64_t> bytes_;
};

/// Blocks of G and of D that the first pairs of stages hold.
struct Held {
    std::size_t generator = 0, discriminator = 0;
};
/// Slowest pair of the best way to share them, and what the pairs before the last hold of them.
struct Best {
    double seconds = std::numeric_limits<double>::infinity();
    Held before;
};

class Search {
public:
    Search(const BlocksOfNets& blocks, int stages, Pairing pairing, std::int64_t cap)
        : generator_(blocks.generator),
          discriminator_(blocks.discriminator),
          reversed_(pairing == Pairing::reversed),
          cap_(cap),
          best_(static_cast<std::size_t>(stages) + 1) {
        for (auto& table : best_)
            table.resize((generator_.size() + 1) * (discriminator_.size() + 1));
        at(0, {}).seconds = 0;
        for (std::size_t pair = 1; pair < best_.size(); ++pair)
            for (std::size_t g = pair; g <= generator_.size(); ++g)
                for (std::size_t d = pair; d <= discriminator_.size(); ++d) extend(pair, {g, d});
    }

    [[nodiscard]] bool found() const {
        return best_.back().back().seconds < std::numeric_limits<double>::infinity();
    }

    [[nodiscard]] StagesOfNets stages() {
        StagesOfNets stages;
        Held end{generator_.size(), discriminator_.size()};
        for (std::size_t pair = best_.size() - 1; pair > 0; --pair) {
            const Held begin = at(pair, end).before;
            stages.generator.push_back(generator_.layers(begin.generator, end.generator));
            const auto [from, to] = places(begin.discriminator, end.discriminator);
            stages.discriminator.push_back(discriminator_.layers(from, to));
            end = begin;
        }
        std::reverse(stages.generator.begin(), stages.generator.end());
        if (!reversed_) std::reverse(stages.discriminator.begin(), stages.discriminator.end());
        return stages;
    }

private:
    Best& at(std::size_t pairs, Held held) {
        return best_[pairs][held.generator * (discriminator_.size() + 1) + held.discriminator];
    }
    /// Where D's blocks are that pairs count from one end.
    [[nodiscard]] std::pair<std::size_t, std::size_t> places(std::size_t begin,
                                                             std::size_t end) const {
        const std::size_t all = discriminator_.size();
        return reversed_ ? std::pair{all - end, all - begin} : std::pair{begin, end};
    }

    void extend(std::size_t pair, Held end) {
        Best& best = at(pair, end);
        for (std::size_t g = end.generator; g-- > pair - 1;)
            for (std::size_t d = end.discriminator; d-- > pair - 1;) {
                const auto [from, to] = places(d, end.discriminator);
                if (generator_.bytes(g, end.generator) + discriminator_.bytes(from, to) > cap_)
                    break;
                const double last =
                    generator_.seconds(g, end.generator) + discriminator_.seconds(from, to);
                const double slowest = std::max(at(pair - 1, {g, d}).seconds, last);
                if (slowest < best.seconds) best = {slowest, {g, d}};
            }
    }

    Loads generator_, discriminator_;
    bool reversed_;
    std::int64_t cap_;
    std::vector<std::vector<Best>> best_;  ///< by number of pairs, then by what they hold
};

}  // namespace

std::vector<Range> blocks_of(const net::NetDescription& net, int stages) {
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

std::optional<StagesOfNets> partition(const BlocksOfNets& blocks, int stages, Pairing pairing,
                                      std::int64_t cap) {
    for (const auto* net : {&blocks.generator, &blocks.discriminator})
        if (stages < 1 || stages > std::ssize(*net))
            throw UsageError(text(net->size(), " blocks cannot be cut into ", stages, " stages"));
    Search search(blocks, stages, pairing, cap);
    if (!search.found()) return std::nullopt;
    return search.stages();
}

std::vector<Range> partition_as(const net::NetDescription& net,
                                const std::vector<std::int64_t>& counts, int stages) {
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

}  // namespace civitas::planner
