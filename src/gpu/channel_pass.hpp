#pragma once
/// What every block of threads does where sums over all rows of a channel come before what is
/// applied to them. Each block adds up a chunk of the rows of a tile of channels; then each folds
/// the sums of all chunks of its tile, all alike, and applies what follows. Where one block has all
/// rows of its channels, it does both. Orders of additions follow from the shape and the type
/// alone.
#include "rows.hpp"

namespace civitas::gpu {

/// Which of its phases a program has: up to the sums of chunks, from there on, or all.
enum class Part { sums, application, all };

/// What a block does. `Pass`: forward or backward.
template <class Pass, Part part>
struct BlockProgram {
    using Channel = typename Pass::Channel;
    using Shared = SharedMemory<Channel>;
    using Fold = typename Pass::Fold;
    /// Blocks that a multiprocessor has room for: where one does all, there are few.
    static constexpr int at_once = part == Part::all ? 1 : 2;

    Pass pass;
    Chunks chunks;
    Pair* sums;  ///< a row of channels for each chunk

    C10_HOST_DEVICE void operator()(const BlockIndex& block, Shared& shared) const {
        // The first rows are on their way while sums are, and are not read again.
        PerThread<Batch<Pass>> ahead;
        each_thread([&](int t) {
            const ThreadRows rows(chunks, block, t);
            ahead[t] = rows.batch(pass, rows.line);
        });
        if constexpr (part == Part::application) {
            fold_all<Fold, most_chunks>(
                shared,
                [&](int chunk, int channel) {
                    const int c = block.tile * tile_width + channel, rows = chunks.rows(chunk);
                    if (rows == 0 || c >= chunks.sizes.channels) return Portion{};
                    return portion(rows, sums[chunk * chunks.sizes.channels + c]);
                },
                [&](int channel, const Portion& all) { finish(block, shared, channel, all); });
        } else {
            each_thread([&](int t) {
                Pair found[vector_width];
                pass.sum(ThreadRows(chunks, block, t), ahead[t], found);
                for (int j = 0; j < vector_width; ++j) shared.of_threads[j][t] = found[j];
            });
            fold_all<Fold, lines>(
                shared,
                [&](int line, int channel) {
                    return portion(chunks.rows(block.chunk, line), shared.of_line(line, channel));
                },
                [&](int channel, const Portion& all) { finish(block, shared, channel, all); });
        }
        if constexpr (part != Part::sums)
            each_thread([&](int t) {
                Channel channels[vector_width];
                for (int j = 0; j < vector_width; ++j)
                    channels[j] = shared.channels[t % lanes * vector_width + j];
                pass.apply(ThreadRows(chunks, block, t), ahead[t], channels);
            });
    }

private:
    C10_HOST_DEVICE static Portion portion(int rows, const Pair& pair) {
        return {static_cast<float>(rows), pair.first, pair.second};
    }
    C10_HOST_DEVICE void finish(const BlockIndex& block, Shared& shared, int channel,
                                const Portion& all) const {
        const int c = block.tile * tile_width + channel;
        if (c >= chunks.sizes.channels) return;
        if constexpr (part == Part::sums)
            sums[block.chunk * chunks.sizes.channels + c] = {all.first, all.second};
        else
            shared.channels[channel] = pass.finish(c, all, block.chunk == 0);
    }
};

/// Floats of workspace that the sums of all chunks need.
[[nodiscard]] inline std::int64_t workspace_for(const RowSizes& sizes) {
    const Chunks chunks(sizes);
    return chunks.count == 1 ? 0 : std::int64_t{2} * chunks.count * sizes.channels;
}

/// `launch(chunks, program)` runs a program for every tile and chunk.
template <class Pass, class Launch>
void run_pass(const Pass& pass, const RowSizes& sizes, float* workspace, const Launch& launch) {
    const Chunks chunks(sizes);
    auto* sums = reinterpret_cast<Pair*>(workspace);
    if (chunks.count == 1)
        return launch(chunks, BlockProgram<Pass, Part::all>{pass, chunks, nullptr});
    launch(chunks, BlockProgram<Pass, Part::sums>{pass, chunks, sums});
    launch(chunks, BlockProgram<Pass, Part::application>{pass, chunks, sums});
}

}  // namespace civitas::gpu
