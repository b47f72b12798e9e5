#pragma once
/// What must be the same on all ranks: compared, or read by the root for all.
#include "civitas/comm/agree.hpp"

#include <string>

namespace civitas::comm {

/// What require_same() compares: `the command line`, and what a user can do where it differs.
struct Compared {
    std::string what;
    Hint hint;
};

/// Throws AgreedError (a wrong use) on all ranks where the text of one differs from the root's:
/// with the first line that does, what both ranks have, and the rank. Texts travel only then, so
/// they may be long. Collective.
void require_same(const Communicator& ranks, const Compared& compared, const std::string& mine);

/// The root's text on all ranks, or its error; `make` is not called on the others. Collective.
template <class Make>
[[nodiscard]] std::string from_root(const Communicator& ranks, Make&& make) {
    auto words = agree(ranks, [&] { return ranks.is_root() ? make() : std::string(); });
    return ranks.broadcast(std::move(words));
}

}  // namespace civitas::comm
