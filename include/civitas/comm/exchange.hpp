#pragma once
/// Slices of tensors exchanged between the ranks of an axis. What is added up is added by the
/// caller, so the way tensors travel does not change a bit.
#include "civitas/comm/communicator.hpp"

#include <ATen/core/Tensor.h>
#include <vector>

namespace civitas::comm {

/// The elements of a slice, in place.
[[nodiscard]] at::Tensor part(const at::Tensor& flat, Range slice);

class TensorExchange {
public:
    /// Collective: for a duplicate of `ranks`.
    explicit TensorExchange(const Communicator& ranks) : ranks_(ranks.dup()) {}
    TensorExchange(const TensorExchange&) = delete;
    TensorExchange& operator=(const TensorExchange&) = delete;
    TensorExchange(TensorExchange&&) = delete;
    TensorExchange& operator=(TensorExchange&&) = delete;
    virtual ~TensorExchange() = default;

    [[nodiscard]] const Communicator& ranks() const noexcept { return ranks_; }
    [[nodiscard]] Rank rank() const noexcept { return ranks_.rank(); }
    [[nodiscard]] int size() const noexcept { return ranks_.size(); }

    /// Direct exchange: rank j gets slice j, in elements, of everybody's flat tensor. Returns a row
    /// from each rank, in rank order, where `flat` lies. The slices are the same on all ranks.
    /// Collective.
    [[nodiscard]] virtual at::Tensor exchange_slices(const at::Tensor& flat,
                                                     const std::vector<Range>& slices) const = 0;
    /// Every rank brings its own slice of `flat` up to date; afterwards all have the whole.
    /// Collective.
    virtual void all_gather_slices(const at::Tensor& flat,
                                   const std::vector<Range>& slices) const = 0;

    [[nodiscard]] Range own(const std::vector<Range>& slices) const {
        return slices.at(static_cast<std::size_t>(index(rank())));
    }

private:
    Communicator ranks_;
};

/// By MPI; what lies on a device goes through host memory.
class HostExchange final : public TensorExchange {
public:
    using TensorExchange::TensorExchange;
    [[nodiscard]] at::Tensor exchange_slices(const at::Tensor& flat,
                                             const std::vector<Range>& slices) const override;
    void all_gather_slices(const at::Tensor& flat, const std::vector<Range>& slices) const override;
};

}  // namespace civitas::comm
