#include "civitas/comm/agree.hpp"

#include "civitas/base/unreadable.hpp"
#include "civitas/comm/failure.hpp"

namespace civitas::comm {
namespace {

struct Failure {
    std::string message;
    bool usage = false;
    bool unreadable = false;
};

Failure describe(const Outcome& outcome) {
    try {
        std::rethrow_exception(outcome);
    } catch (const UsageError& e) {
        return {e.what(), true, false};
    } catch (const UnreadableError& e) {
        return {e.what(), false, true};
    } catch (const AgreedUnreadableError& e) {
        return {e.what(), false, true};
    } catch (const AgreedError& e) {
        return {e.what(), e.usage(), false};
    } catch (const std::exception& e) {
        return {message_of(e), false, false};
    } catch (...) {
        return {"an exception of unknown type", false, false};
    }
}

}  // namespace

void require_agreement(const Communicator& ranks, const Outcome& mine) {
    const std::int64_t nobody = ranks.size();
    const std::int64_t me = index(ranks.rank());
    const std::int64_t first = ranks.min(mine ? me : nobody);
    if (first == nobody) return;
    const bool everyone = ranks.all(mine != nullptr);
    const Failure local = mine ? describe(mine) : Failure{};
    const Rank teller{static_cast<int>(first)};
    const std::string message = ranks.broadcast(local.message, teller);
    const bool usage = ranks.broadcast(local.usage, teller);
    const bool unreadable = ranks.broadcast(local.unreadable, teller);
    const std::string complete = everyone ? message : text("rank ", first, ": ", message);
    if (unreadable) throw AgreedUnreadableError(complete);
    throw AgreedError(complete, usage);
}

}  // namespace civitas::comm
