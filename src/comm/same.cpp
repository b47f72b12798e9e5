#include "civitas/comm/same.hpp"

#include "civitas/base/hash.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

namespace civitas::comm {
namespace {

std::vector<std::string> lines_of(const std::string& words) {
    std::vector<std::string> lines;
    std::istringstream in(words);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The first line of `some`, beginning with `key`, that the others do not have; or nothing.
std::string first_missing(const std::vector<std::string>& some,
                          const std::vector<std::string>& others, const std::string& key = {}) {
    for (const std::string& line : some)
        if (line.starts_with(key) && std::find(others.begin(), others.end(), line) == others.end())
            return line;
    return {};
}

/// `has "--steps 8", rank 0 has "--steps 4"`: lines go by their first word where they can.
std::string difference(const std::string& mine, const std::string& roots) {
    const auto own = lines_of(mine);
    const auto theirs = lines_of(roots);
    const std::string here = first_missing(own, theirs);
    std::string there = first_missing(theirs, own, here.substr(0, here.find(' ')));
    if (there.empty()) there = first_missing(theirs, own);
    if (here.empty() && there.empty()) return "has the same in another order than rank 0";
    const auto quoted = [](const std::string& line) {
        return line.empty() ? "nothing of the kind" : text('"', line, '"');
    };
    return text("has ", quoted(here), ", rank 0 has ", quoted(there));
}

}  // namespace

void require_same(const Communicator& ranks, const Compared& compared, const std::string& mine) {
    const auto hash = std::bit_cast<std::int64_t>(name_hash(mine));
    if (ranks.min(hash) == ranks.max(hash)) return;
    const std::string roots = ranks.broadcast(std::string(mine));
    const std::int64_t me = index(ranks.rank());
    const std::int64_t first = ranks.min(mine == roots ? std::int64_t{ranks.size()} : me);
    const std::string words = ranks.broadcast(first == me ? difference(mine, roots) : std::string(),
                                              Rank{static_cast<int>(first)});
    const Error error(
        text(compared.what, " must be the same on all ranks: rank ", first, ' ', words),
        compared.hint);
    throw AgreedError(error.what(), true);
}

}  // namespace civitas::comm
