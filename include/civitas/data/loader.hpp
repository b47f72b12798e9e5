#pragma once
/// Tiles as tensors, read ahead by threads of its own.
#include "civitas/base/numbers.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/data/tile_store.hpp"

#include <ATen/core/Tensor.h>
#include <functional>
#include <memory>

namespace civitas::data {

struct LoaderOptions {
    Seed seed{};
    Coding coding = Coding::colour;
    std::int64_t net_pixels = 64;
    std::int64_t micro_batch = 16;  ///< tiles
    int threads = 1;                ///< reading ahead
    int ahead = 1;                  ///< micro-batches kept ready
};

/// Delivers micro-batches in the order in which `first_sample` lists them: the i-th call of next()
/// gives samples first_sample(i) ... first_sample(i) + micro_batch - 1 of the training split. The
/// order is known for ever, so threads prefetch it; a reading error surfaces in next().
class Loader {
public:
    /// Starts the reading threads. `store` must outlive the loader. Throws UsageError when the
    /// store has no training tile or a size that the net cannot average.
    Loader(const TileStore& store, LoaderOptions options,
           std::function<Sample(std::int64_t)> first_sample);
    Loader(Loader&&) noexcept;
    Loader& operator=(Loader&&) = delete;
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;
    ~Loader();

    /// The next micro-batch of tiles: x (B,C,H,W), fp32 on the CPU, contiguous, values in [-1, 1].
    [[nodiscard]] at::Tensor next();
    /// Seconds that next() has waited for the threads so far.
    [[nodiscard]] double waited() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Reads some tiles of a split, in store order and unturned: for sheets and evaluation. Returns x
/// (B,C,H,W), fp32 on the CPU, B the number of tiles.
[[nodiscard]] at::Tensor read_tiles(const TileStore& store, std::span<const TileIndex> tiles,
                                    Coding coding, std::int64_t net_pixels);

}  // namespace civitas::data
