#pragma once
/// The sum of a gradient's terms and the update by it, in one pass over memory.
#include "civitas/optim/optimizer.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace civitas::optim {

/// Terms of the gradient of one run of elements: by pass, and in rank order.
using RunTerms = std::vector<std::vector<at::Tensor>>;

/// Terms of the runs that this rank owns, read where the ranks of its node have them. `passes`: of
/// an exchange buffer, flat. Collective; throws comm::Revoked as exchanges do.
[[nodiscard]] std::vector<RunTerms> terms_on_node(const comm::TensorCollectives& ranks,
                                                  const net::ArenaDivision& division,
                                                  const std::vector<at::Tensor>& passes);
/// Terms that this rank alone has. `replicas`: of each the passes, which hold the whole arena or
/// these runs.
[[nodiscard]] std::vector<RunTerms> terms_of_one_rank(
    const net::ArenaRuns& own, const std::vector<std::vector<at::Tensor>>& replicas);

/// Updates a block of weights as soon as its gradient has been added up, which is kept nowhere.
/// Since only then all know whether the gradient is finite, the weights can be taken back.
class SumAndUpdate {
public:
    /// `own`: the elements that this rank updates.
    SumAndUpdate(const net::ArenaLayout& layout, const net::ArenaRuns& own)
        : layout_(layout), own_(own) {}

    /// Adds up `terms` (of each own run), each pass in tree order, then one pass to the other, and
    /// makes the step of `optimizer` by the sum. `kept`: of each own run the memory of a term,
    /// which gets the weights as they were; between parameters both are zeros, and stay so. The
    /// caller sees to it that nobody else reads the weights.
    void run(Optimizer& optimizer, const ArenaShard& weights, const at::Tensor& compute_copy,
             const std::vector<RunTerms>& terms, std::vector<at::Tensor> kept);
    /// Whether run() has begun, and close() has not been called.
    [[nodiscard]] bool is_open() const noexcept { return open_; }
    /// The update stays.
    void close() { open_ = false; }
    /// After run(), before close(): gives the weights, and the compute copy, back what they were.
    /// The optimizer's state is lost.
    void take_back(const ArenaShard& weights, const at::Tensor& compute_copy) const;

    [[nodiscard]] bool is_finite() const { return first_bad_ == none; }
    /// The first parameter whose sum was not.
    [[nodiscard]] std::optional<std::string> first_non_finite() const;

private:
    static constexpr std::int64_t none = std::int64_t{1} << 62;
    net::ArenaLayout layout_;
    net::ArenaRuns own_;
    std::vector<at::Tensor> kept_;
    bool open_ = false;
    std::atomic<std::int64_t> first_bad_ = none;  ///< element of the arena
};

}  // namespace civitas::optim
