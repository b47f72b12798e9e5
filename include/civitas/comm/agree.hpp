#pragma once
/// A local failure becomes everybody's failure before the next collective.
#include "civitas/comm/communicator.hpp"

#include <exception>
#include <optional>

namespace civitas::comm {

/// What an attempt ended with on this rank: nothing, or an error.
using Outcome = std::exception_ptr;

/// What `work` ends with on this rank.
template <class Work>
[[nodiscard]] Outcome outcome_of(Work&& work) {
    try {
        work();
    } catch (...) {
        return std::current_exception();
    }
    return {};
}

/// Throw AgreedError on all ranks if any of them failed: with the message of the first rank that
/// did, and its rank when others succeeded. Collective.
void require_agreement(const Communicator& ranks, const Outcome& mine);

/// Run `work` on every rank, then agree: either all return, or all throw the same AgreedError.
/// Collective; `work` itself may communicate only if its failures are the same on all ranks.
template <class Work>
auto agree(const Communicator& ranks, Work&& work) {
    using Result = std::invoke_result_t<Work>;
    if constexpr (std::is_void_v<Result>) {
        require_agreement(ranks, outcome_of(work));
    } else {
        std::optional<Result> result;
        require_agreement(ranks, outcome_of([&] { result.emplace(work()); }));
        return std::move(*result);
    }
}

/// Run `work` on the root alone; all throw the same AgreedError when it fails. Collective.
template <class Work>
void on_root(const Communicator& ranks, Work&& work) {
    require_agreement(ranks, ranks.is_root() ? outcome_of(work) : Outcome{});
}

}  // namespace civitas::comm
