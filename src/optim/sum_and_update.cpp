#include "sum_and_update.hpp"

#include "civitas/comm/collectives.hpp"

#include <algorithm>
#include <array>

namespace civitas::optim {

using comm::part;

std::vector<RunTerms> terms_on_node(const comm::TensorCollectives& ranks,
                                    const net::ArenaDivision& division,
                                    const std::vector<at::Tensor>& passes) {
    std::vector<std::unique_ptr<comm::AllToAll>> exchanges;
    for (const net::ArenaBlock& block : division.blocks())
        for (const at::Tensor& pass : passes)
            exchanges.push_back(ranks.begin_all_to_all_slices(
                part(pass, block.elements), net::places_within(block.slices, block.elements)));
    std::vector<RunTerms> terms;
    auto next = exchanges.begin();
    for (const net::ArenaBlock& block : division.blocks()) {
        RunTerms of_block;
        for (std::size_t pass = 0; pass < passes.size(); ++pass)
            of_block.push_back((*next++)->wait());
        if (ranks.own(block.slices).count > 0) terms.push_back(std::move(of_block));
    }
    return terms;
}

std::vector<RunTerms> terms_of_one_rank(const net::ArenaRuns& own,
                                        const std::vector<std::vector<at::Tensor>>& replicas) {
    std::vector<RunTerms> terms(own.runs().size(), RunTerms(replicas.front().size()));
    for (const auto& passes : replicas)
        for (std::size_t pass = 0; pass < passes.size(); ++pass) {
            const auto runs = runs_in(passes[pass], own);
            for (std::size_t run = 0; run < runs.size(); ++run)
                terms[run][pass].push_back(runs[run]);
        }
    return terms;
}

void SumAndUpdate::run(Optimizer& optimizer, const ArenaShard& weights,
                       const at::Tensor& compute_copy, const std::vector<RunTerms>& terms,
                       std::vector<at::Tensor> kept) {
    open_ = true;
    first_bad_ = none;
    kept_ = std::move(kept);
    const auto of_block = [&](std::size_t run, Range some) {
        updates::GradientTerms block{.passes = {}, .kept = part(kept_[run], some)};
        for (const auto& pass : terms[run]) {
            auto& ranks = block.passes.emplace_back();
            for (const at::Tensor& term : pass) ranks.push_back(part(term, some));
        }
        return block;
    };
    const auto remember = [&](std::size_t run, std::int64_t element) {
        const std::int64_t place = own_.runs()[run].begin + element;
        std::int64_t before = first_bad_;
        while (place < before && !first_bad_.compare_exchange_weak(before, place)) continue;
    };
    optimizer.step(weights, GradientOfTerms{of_block, remember}, compute_copy);
}

void SumAndUpdate::take_back(const ArenaShard& weights, const at::Tensor& compute_copy) const {
    const auto now = runs_in(weights.flat(), own_);
    for (std::size_t run = 0; run < kept_.size(); ++run)
        memory::walk(weights.offloaded_to(), std::array{now[run]},
                     [&](Range some) { part(now[run], some).copy_(part(kept_[run], some)); });
    if (!compute_copy.defined()) return;
    const auto copies = runs_in(compute_copy, own_);
    for (std::size_t run = 0; run < kept_.size(); ++run) copies[run].copy_(kept_[run]);
}

std::optional<std::string> SumAndUpdate::first_non_finite() const {
    if (is_finite()) return std::nullopt;
    const auto& slots = layout_.slots();
    const auto after = std::upper_bound(
        slots.begin(), slots.end(), first_bad_.load(),
        [](std::int64_t value, const net::Slot& slot) { return value < slot.offset; });
    return std::prev(after)->parameter.name;
}

}  // namespace civitas::optim
