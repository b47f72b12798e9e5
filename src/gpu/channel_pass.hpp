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
    /// Rows that a thread waits for together: fewer where registers are for sums of chunks too.
    static constexpr int rows_at_once =
        (part == Part::application ? 8 : 16) / sizeof(typename Pass::Number);

    Pass pass;
    Chunks chunks;
    Pair* sums;  ///< a row of channels for each chunk

    C10_HOST_DEVICE void operator()(const BlockIndex& block, Shared& shared) const {
        // What does not depend on sums is on its way before them, and the first rows stay.
        PerThread<Batch<typename Pass::Row, rows_at_once>> ahead;
        PerThread<typename Pass::Given> given;
        each_thread([&](int t) {
            const ThreadRows rows(chunks, block, t);
            ahead[t] = rows.batch<rows_at_once>(pass, rows.line);
            if constexpr (part != Part::sums)
                if (has_channel(block, t)) given[t] = pass.given(channel(block, t));
            if constexpr (part == Part::application) fold_chunks(block, shared, Folding(t));
        });
        if constexpr (part != Part::application) {
            each_thread([&](int t) {
                Pair found[vector_width];
                pass.sum(ThreadRows(chunks, block, t), ahead[t], found);
                for (int j = 0; j < vector_width; ++j) shared.of_threads[j][t] = found[j];
            });
            each_thread([&](int t) { fold_lines(block, shared, Folding(t)); });
        }
        each_thread([&](int t) {
            if (!has_channel(block, t)) return;
            Portion portions[groups];
            for (int i = 0; i < groups; ++i) portions[i] = shared.of_groups[i][t];
            const Portion all = Fold::of(portions);
            const int c = channel(block, t);
            if constexpr (part == Part::sums)
                sums[block.chunk * chunks.sizes.channels + c] = {all.first, all.second};
            else
                shared.channels[t] = pass.finish(c, all, given[t], block.chunk == 0);
        });
        if constexpr (part != Part::sums)
            each_thread([&](int t) {
                Channel channels[vector_width];
                for (int j = 0; j < vector_width; ++j)
                    channels[j] = shared.channels[t % lanes * vector_width + j];
                pass.apply(ThreadRows(chunks, block, t), ahead[t], channels);
            });
    }

private:
    C10_HOST_DEVICE static int channel(const BlockIndex& block, int of_tile) {
        return block.tile * tile_width + of_tile;
    }
    C10_HOST_DEVICE bool has_channel(const BlockIndex& block, int of_tile) const {
        return of_tile < tile_width && channel(block, of_tile) < chunks.sizes.channels;
    }
    C10_HOST_DEVICE static Portion portion(int rows, const Pair& pair) {
        return {static_cast<float>(rows), pair.first, pair.second};
    }
    C10_HOST_DEVICE void fold_lines(const BlockIndex& block, Shared& shared,
                                    const Folding& folding) const {
        shared.of_groups[folding.group][folding.channel] =
            folding.of_group<Fold, lines>([&](int line) {
                return portion(chunks.rows(block.chunk, line),
                               shared.of_line(line, folding.channel));
            });
    }
    C10_HOST_DEVICE void fold_chunks(const BlockIndex& block, Shared& shared,
                                     const Folding& folding) const {
        if (!has_channel(block, folding.channel)) return;
        const Pair* const first = sums + channel(block, folding.channel);
        shared.of_groups[folding.group][folding.channel] =
            folding.of_group<Fold, most_chunks>([&](int chunk) {
                const int rows = chunks.rows(chunk);
                return rows == 0 ? Portion{} : portion(rows, first[chunk * chunks.sizes.channels]);
            });
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
