#pragma once
/// Rows of channels, as threads of a block read and write them.
#include "block.hpp"

#include <cstring>

namespace civitas::gpu {

/// Channels-last images: each pixel is a row of channels.
struct RowSizes {
    int rows = 0, channels = 0;
};

/// So many that the largest images keep a GPU busy, and so few that each block can fold them all.
inline constexpr int most_chunks = 128;

/// Rows are split among blocks in chunks that follow from their number alone, with a few rows at
/// least for each line of a block.
struct Chunks {
    RowSizes sizes;
    int rows_of_each = 0, count = 0;

    explicit Chunks(const RowSizes& from) : sizes(from) {
        constexpr int fewest = 8 * lines;
        const auto parts = [](int all, int of_each) { return (all - 1) / of_each + 1; };
        rows_of_each = parts(parts(sizes.rows, most_chunks), lines) * lines;
        if (rows_of_each < fewest) rows_of_each = fewest;
        count = parts(sizes.rows, rows_of_each);
    }
    [[nodiscard]] int tiles() const { return (sizes.channels - 1) / tile_width + 1; }
    /// Rows of a chunk: the last may have fewer, and there are none behind it.
    [[nodiscard]] C10_HOST_DEVICE int rows(int chunk) const {
        if (chunk >= count) return 0;
        const int left = sizes.rows - chunk * rows_of_each;
        return left < rows_of_each ? left : rows_of_each;
    }
    /// Rows of a line of the block that has this chunk.
    [[nodiscard]] C10_HOST_DEVICE int rows(int chunk, int line) const {
        return (rows(chunk) - line + lines - 1) / lines;
    }
};

/// Neighbouring channels of a row, in as few registers as hold them.
template <class T>
struct alignas(vector_width * sizeof(T)) [[gnu::may_alias]] Vector {
    std::uint32_t words[vector_width * sizeof(T) / sizeof(std::uint32_t)];

    [[nodiscard]] C10_HOST_DEVICE T operator[](int j) const {
        T number;
        if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
            std::memcpy(&number, &words[j], sizeof(T));
        } else {
            const auto half = static_cast<std::uint16_t>(words[j / 2] >> j % 2 * 16);
            std::memcpy(&number, &half, sizeof(T));
        }
        return number;
    }
};

template <class T>
C10_HOST_DEVICE Vector<T> vector_of(const T (&numbers)[vector_width]) {
    Vector<T> vector;
    std::memcpy(&vector, numbers, sizeof(vector));
    return vector;
}

/// `whole`: vectors are aligned and have all their channels, so that each moves at once.
template <bool whole, class T>
C10_HOST_DEVICE Vector<T> load(const T* from, int channels) {
    if constexpr (whole) {
        return *reinterpret_cast<const Vector<T>*>(from);
    } else {
        T numbers[vector_width] = {};
        for (int j = 0; j < vector_width; ++j)
            if (j < channels) numbers[j] = from[j];
        return vector_of(numbers);
    }
}

template <bool whole, class T>
C10_HOST_DEVICE void store(const Vector<T>& vector, T* to, int channels) {
    if constexpr (whole) {
        *reinterpret_cast<Vector<T>*>(to) = vector;
    } else {
        for (int j = 0; j < vector_width; ++j)
            if (j < channels) to[j] = vector[j];
    }
}

/// Rows whose loads are on their way together.
template <class Row, int count>
struct Batch {
    Row of[count];
};

/// What a thread has of the rows of its block.
struct ThreadRows {
    int channel = 0, channels = 0;  ///< of its vectors: the first, and at most vector_width
    int line = 0, rows = 0;
    std::int64_t first = 0, stride = 0;  ///< elements

    C10_HOST_DEVICE ThreadRows(const Chunks& chunks, const BlockIndex& block, int t)
        : channel(block.tile * tile_width + t % lanes * vector_width),
          line(t / lanes),
          stride(chunks.sizes.channels) {
        channels = chunks.sizes.channels - channel;
        if (channels > vector_width) channels = vector_width;
        rows = channels > 0 ? chunks.rows(block.chunk) : 0;
        first = std::int64_t{block.chunk} * chunks.rows_of_each * stride + channel;
    }

    /// The next rows from this one on: load(element, channels) of each.
    template <int count, class Source>
    [[nodiscard]] C10_HOST_DEVICE auto batch(const Source& source, int from) const {
        Batch<typename Source::Row, count> batch{};
        for (int k = 0; k < count; ++k)
            if (const int row = from + k * lines; row < rows)
                batch.of[k] = source.load(element(row), channels);
        return batch;
    }

    /// use(element, row) for every row, in order; `batch`: the first ones.
    template <class Source, class Row, int count, class Use>
    C10_HOST_DEVICE void for_each(const Source& source, Batch<Row, count> batch,
                                  const Use& use) const {
        for (int from = line; from < rows;) {
            for (int k = 0; k < count; ++k)
                if (const int row = from + k * lines; row < rows) use(element(row), batch.of[k]);
            from += count * lines;
            if (from < rows) batch = this->batch<count>(source, from);
        }
    }

private:
    [[nodiscard]] C10_HOST_DEVICE std::int64_t element(int row) const {
        return first + row * stride;
    }
};

}  // namespace civitas::gpu
