#pragma once
/// Tiles as tensors, read ahead by threads of its own.
#include "civitas/base/numbers.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/data/tile_store.hpp"

#include <ATen/core/Tensor.h>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace civitas::data {

struct LoaderOptions {
    Seed seed{};
    Coding coding = Coding::colour;
    std::optional<Symmetries> symmetries = {};  ///< none said: symmetries_of() the store's content
    std::int64_t net_pixels = 64;
    std::int64_t micro_batch = 16;  ///< tiles
    int threads = 1;                ///< reading ahead
    int ahead = 1;                  ///< micro-batches kept ready for next()
    bool pinned = false;            ///< whether a GPU reads them where they lie
};

/// Delivers micro-batches of the training split: samples first ... first + micro_batch - 1. Threads
/// prefetch those that are expected; a reading error surfaces where its micro-batch is taken. All
/// calls are by one thread.
class Loader {
public:
    /// Starts the reading threads; expect() says what they are to read. `store` must outlive the
    /// loader. Throws UsageError when the store has no training tile, or a size that the net cannot
    /// average, or is not of what the coding is.
    Loader(const TileStore& store, LoaderOptions options);
    /// For an order that is known for ever: the i-th call of next() gives the micro-batch that
    /// begins with first_sample(i).
    Loader(const TileStore& store, LoaderOptions options,
           std::function<Sample(std::int64_t)> first_sample);
    Loader(Loader&&) noexcept;
    Loader& operator=(Loader&&) = delete;
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;
    ~Loader();

    /// The micro-batches that are wanted next, each by its first sample, in order. What has been
    /// read of those is kept, what has been read of others is dropped.
    void expect(std::span<const Sample> firsts);
    /// The micro-batch of tiles that begins with `first`, read now where it was not expected:
    /// x (B,C,H,W), fp32 on the CPU, contiguous, values as encode() gives them. It is expected no
    /// more; the others are.
    [[nodiscard]] at::Tensor take(Sample first);
    /// The next micro-batch of the order, as take() gives it. Precondition: there is an order.
    [[nodiscard]] at::Tensor next();
    /// Seconds that take() and next() have waited for the threads so far.
    [[nodiscard]] double waited() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Reads some tiles of a split, in store order and unturned: for sheets and evaluation. Returns x
/// (B,C,H,W), fp32 on the CPU, B the number of tiles. Throws UsageError as Loader does.
[[nodiscard]] at::Tensor read_tiles(const TileStore& store, std::span<const TileIndex> tiles,
                                    Coding coding, std::int64_t net_pixels);

}  // namespace civitas::data
