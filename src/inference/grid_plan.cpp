#include "civitas/inference/grid_plan.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/data/post_process.hpp"

#include <ATen/ops/from_blob.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace civitas::inference {
namespace {

constexpr double levels = 255;  // of a byte that keeps -1 to 1

std::uint8_t byte_of(float value) {
    return static_cast<std::uint8_t>(
        std::lround((std::clamp(value, -1.0F, 1.0F) + 1) / 2 * levels));
}

float value_of(std::uint8_t byte) { return static_cast<float>(byte / levels * 2 - 1); }

void require_enough(const GridOptions& o, const quilt::Layout& layout, std::int64_t channels) {
    const quilt::GridSize patches = layout.patches();
    if (o.candidates < patches.count())
        throw UsageError(
            text("--grid ", o.tiles.columns, "x", o.tiles.rows, " is made of ", patches.columns,
                 " x ", patches.rows, " plans, and --candidates ", o.candidates, " are fewer"),
            Hint{text("--candidates ", 8 * patches.count(), ": of more some fit better")});
    // What post-processing takes.
    constexpr std::int64_t bytes_of_pixel = 212, most_of_plan = std::int64_t{4} << 30;
    const std::int64_t pixels = layout.side * layout.side;
    if (o.tiles.count() > most_of_plan / (bytes_of_pixel * pixels))
        throw UsageError(text("--grid ", o.tiles.columns, "x", o.tiles.rows, " of ", layout.side,
                              " pixels a side takes more than ", most_of_plan, " bytes"),
                         Hint{text(most_of_plan / (bytes_of_pixel * pixels), " tiles at most")});
    constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
    const std::int64_t bytes = channels * layout.side * layout.side;
    if (o.candidates > most_bytes / bytes)
        throw UsageError(text("--candidates ", o.candidates, " of ", bytes,
                              " bytes each take more than ", most_bytes),
                         Hint{text("--candidates ", most_bytes / bytes, " at most")});
}

std::vector<std::uint8_t> drawn(const TrainedNet& generator, const GridOptions& o, Range plans) {
    std::vector<std::uint8_t> bytes;
    for (std::int64_t i = plans.begin; i < plans.end(); i += plans_at_once) {
        const at::Tensor images =
            draw(generator, o.seed, {i, std::min(plans_at_once, plans.end() - i)}, o.wish);
        const float* values = images.const_data_ptr<float>();
        std::transform(values, values + images.numel(), std::back_inserter(bytes), byte_of);
    }
    return bytes;
}

/// All candidates, on the root. Collective.
std::vector<std::uint8_t> candidates_of(const comm::Communicator& world,
                                        const TrainedNet& generator, const GridOptions& o,
                                        Log& log) {
    std::optional<Progress> progress;
    if (world.is_root()) progress.emplace(log, "drawing", o.candidates);
    constexpr std::int64_t at_once = 32;  // plans of a rank between two words of progress
    std::vector<std::uint8_t> all;
    const auto& problem = generator.problem();
    if (world.is_root())
        all.reserve(static_cast<std::size_t>(o.candidates * channels_of(problem.coding()) *
                                             problem.nets.pixels() * problem.nets.pixels()));
    const std::int64_t most = at_once * world.size();
    for (std::int64_t begin = 0; begin < o.candidates; begin += most) {
        const std::int64_t count = std::min(most, o.candidates - begin);
        Range mine = block_range(count, index(world.rank()), world.size());
        mine.begin += begin;
        auto bytes = comm::agree(world, [&] { return drawn(generator, o, mine); });
        for (const Rank from : each<Rank>(world.size())) {
            const auto part = world.transfer(
                from == world.rank() ? std::exchange(bytes, {}) : std::vector<std::uint8_t>{},
                from);
            all.insert(all.end(), part.begin(), part.end());
        }
        if (progress) progress->advance(begin + count);
    }
    return all;
}

void post_process(quilt::Picture& picture, Coding coding, std::int64_t pixels_of_tile) {
    std::vector<float> values;
    std::transform(picture.values_CHW.begin(), picture.values_CHW.end(), std::back_inserter(values),
                   value_of);
    const at::Tensor joined = data::post_processed(
        at::from_blob(values.data(), {picture.channels, picture.height, picture.width}, at::kFloat),
        coding, pixels_of_tile);
    const float* value = joined.const_data_ptr<float>();
    std::transform(value, value + joined.numel(), picture.values_CHW.begin(), byte_of);
}

}  // namespace

quilt::Layout layout_of(quilt::GridSize tiles, std::int64_t side) {
    return {tiles, side, std::max<std::int64_t>(1, side * 3 / 16)};
}

GridPlan GridPlan::draw(const comm::Communicator& world, const TrainedNet& generator,
                        const GridOptions& o, Log& log) {
    const auto& problem = generator.problem();
    GridPlan plan(problem.coding(), problem.nets.pixels());
    const std::int64_t channels = channels_of(plan.coding_);
    const quilt::Layout layout = layout_of(o.tiles, plan.side_);
    comm::agree(world, [&] { require_enough(o, layout, channels); });
    auto candidates = candidates_of(world, generator, o, log);
    comm::on_root(world, [&] {
        Progress progress(log, "fitting", layout.patches().count());
        std::int64_t laid = 0;
        plan.quilt_ = quilt::quilt({o.candidates, channels, plan.side_, std::move(candidates)},
                                   layout, [&] { progress.advance(++laid); });
        if (o.post_process) post_process(plan.quilt_.picture, plan.coding_, layout.side);
    });
    return plan;
}

data::Decoded GridPlan::tile(std::int64_t column, std::int64_t row, std::int64_t pixels) const {
    const quilt::Picture& whole = quilt_.picture;
    std::vector<float> part;
    // Beyond the plan's own border it goes on as it ends.
    for (std::int64_t c = 0; c < whole.channels; ++c)
        for (std::int64_t y = -1; y <= side_; ++y)
            for (std::int64_t x = -1; x <= side_; ++x) {
                const std::int64_t v =
                    std::clamp<std::int64_t>(row * side_ + y, 0, whole.height - 1);
                const std::int64_t u =
                    std::clamp<std::int64_t>(column * side_ + x, 0, whole.width - 1);
                part.push_back(value_of(whole.values_CHW[static_cast<std::size_t>(
                    (c * whole.height + v) * whole.width + u)]));
            }
    const std::int64_t side = side_ + 2;
    return data::decode_part(at::from_blob(part.data(), {whole.channels, side, side}, at::kFloat),
                             coding_, pixels);
}

double GridPlan::overlap_error() const noexcept { return quilt_.overlap_error / (levels * levels); }

}  // namespace civitas::inference
