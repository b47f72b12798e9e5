#include "civitas/parallel/partition.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <numeric>

namespace civitas::parallel {
namespace {

// A processor core makes about 250 GF/s of a convolution and moves 1 G elements/s through batch
// norm and activations, several times a visit.
constexpr double operations_per_element = 250;

bool starts_block(const nn::LayerDescription& layer) {
    return std::holds_alternative<nn::Convolution>(layer.kind) ||
           std::holds_alternative<nn::TransposedConvolution>(layer.kind);
}

std::vector<Range> whole_blocks(const nn::NetDescription& net) {
    std::vector<Range> blocks;
    for (std::int64_t i = 0; i < std::ssize(net.layers); ++i) {
        if (blocks.empty() || starts_block(net.layers[static_cast<std::size_t>(i)]))
            blocks.push_back({i, 0});
        ++blocks.back().count;
    }
    return blocks;
}

/// Slowest stage of the best way to cut the first blocks, and where its last stage begins.
struct Best {
    double seconds = std::numeric_limits<double>::infinity();
    std::size_t last_begin = 0;
};

class Search {
public:
    Search(std::span<const Block> blocks, int stages, std::int64_t cap)
        : blocks_(blocks), cap_(cap), best_(static_cast<std::size_t>(stages) + 1) {
        for (auto& row : best_) row.resize(blocks.size() + 1);
        best_[0][0].seconds = 0;
        for (std::size_t stage = 1; stage < best_.size(); ++stage)
            for (std::size_t end = stage; end <= blocks.size(); ++end) extend(stage, end);
    }

    [[nodiscard]] std::vector<Range> stages() const {
        std::vector<Range> stages;
        std::size_t end = blocks_.size();
        for (std::size_t stage = best_.size() - 1; stage > 0; --stage) {
            const std::size_t begin = best_[stage][end].last_begin;
            const std::int64_t first = blocks_[begin].layers.begin;
            stages.push_back({first, blocks_[end - 1].layers.end() - first});
            end = begin;
        }
        std::reverse(stages.begin(), stages.end());
        return stages;
    }

    [[nodiscard]] bool found() const {
        return best_.back().back().seconds < std::numeric_limits<double>::infinity();
    }

private:
    void extend(std::size_t stage, std::size_t end) {
        double seconds = end < blocks_.size() ? blocks_[end - 1].cut_seconds : 0;
        std::int64_t bytes = 0;
        for (std::size_t begin = end; begin-- > stage - 1;) {
            seconds += blocks_[begin].seconds;
            bytes += blocks_[begin].bytes;
            if (bytes > cap_) return;
            const double receiving = begin > 0 ? blocks_[begin - 1].cut_seconds : 0;
            const double slowest = std::max(best_[stage - 1][begin].seconds, seconds + receiving);
            if (slowest < best_[stage][end].seconds) best_[stage][end] = {slowest, begin};
        }
    }

    std::span<const Block> blocks_;
    std::int64_t cap_;
    std::vector<std::vector<Best>> best_;  ///< by number of stages and of blocks
};

/// The least that the largest stage can hold.
std::int64_t least_cap(std::span<const Block> blocks, int stages) {
    std::int64_t low = 0;
    std::int64_t high =
        std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0},
                        [](std::int64_t sum, const Block& block) { return sum + block.bytes; });
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (Search(blocks, stages, middle).found()) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

}  // namespace

std::vector<Range> blocks_of(const nn::NetDescription& net, int stages) {
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

std::vector<Block> estimated_blocks(const nn::NetDescription& net, int stages) {
    const auto shapes = nn::shapes_of(net);
    std::vector<Block> blocks;
    for (const Range layers : blocks_of(net, stages)) {
        Block& block = blocks.emplace_back();
        block.layers = layers;
        for (std::int64_t i = layers.begin; i < layers.end(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const auto elements = static_cast<double>(shapes[at + 1].elements());
            block.seconds += 3 * (nn::forward_flops(net.layers[at], shapes[at]) +
                                  operations_per_element * elements);
            block.bytes += shapes[at].elements();
            for (const auto& parameter : nn::parameters_of(net.layers[at]))
                block.bytes += parameter.elements();
        }
        block.cut_seconds =
            operations_per_element *
            static_cast<double>(shapes[static_cast<std::size_t>(layers.end())].elements());
    }
    return blocks;
}

std::vector<Range> partition(std::span<const Block> blocks, int stages, std::int64_t cap) {
    if (stages < 1 || stages > std::ssize(blocks))
        throw UsageError(text(blocks.size(), " blocks cannot be cut into ", stages, " stages"));
    const Search search(blocks, stages, cap);
    if (search.found()) return search.stages();
    throw UsageError(text("no cut into ", stages, " stages keeps each within ", cap,
                          " bytes: the best one needs ", least_cap(blocks, stages)),
                     Hint{"more pipe coordinates, --recompute, or a smaller --micro-batch"});
}

std::vector<Range> partition_as(const nn::NetDescription& net,
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

}  // namespace civitas::parallel
