#pragma once
/// Batches of matrices of mapped numbers, whose products are what Winograd's filtering needs.
#include "winograd_steps.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

namespace civitas::gpu::winograd {

/// The dimension of a matrix that products sum over.
enum class Inner { rows, columns };

/// One matrix for each point or, with `blocks`, for each point and phase. A row has the channels
/// of one group after those of another.
struct MatrixShape {
    std::int64_t rows;
    int groups, channels;
    int blocks = 1;
    Inner inner = Inner::columns;
    Factor factor = Factor::left;

    [[nodiscard]] std::int64_t columns() const { return std::int64_t{groups} * channels; }
};

/// Room for such matrices of `points` points, and where numbers are written in it.
class Matrices {
public:
    /// `split`: numbers are written as three, along the inner dimension.
    Matrices(const MatrixShape& shape, int points, bool split, const at::Tensor& like)
        : shape_(shape),
          rows_(shape.rows * (split && shape.inner == Inner::rows ? copies : 1)),
          columns_(shape.columns() * (split && shape.inner == Inner::columns ? copies : 1)),
          split_(split),
          all_(at::empty({std::int64_t{points} * shape.blocks, rows_, columns_},
                         like.options().memory_format(at::MemoryFormat::Contiguous))) {}

    [[nodiscard]] const at::Tensor& all() const { return all_; }
    [[nodiscard]] MappedNumbers numbers() const {
        const std::int64_t matrix = rows_ * columns_;
        const bool by_row = shape_.inner == Inner::rows;
        const std::int64_t apart = by_row ? shape_.rows * columns_ : shape_.columns();
        return {all_.mutable_data_ptr<float>(),
                {shape_.blocks * matrix, columns_, shape_.blocks > 1 ? matrix : shape_.channels},
                split_ ? apart : 0,
                shape_.factor};
    }

private:
    static constexpr std::int64_t copies = 3;
    MatrixShape shape_;
    std::int64_t rows_, columns_;
    bool split_;
    at::Tensor all_;
};

}  // namespace civitas::gpu::winograd
