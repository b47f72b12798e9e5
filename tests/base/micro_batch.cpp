#include "civitas/base/micro_batch.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace civitas;

namespace {

std::vector<std::int64_t> globals(const MicroBatchShare& share) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < share.count(); ++i)
        all.push_back(index(share.global(LocalMicroBatch{i})));
    return all;
}

}  // namespace

TEST_CASE("replicas take neighbouring micro-batches, or in turn") {
    using Numbers = std::vector<std::int64_t>;
    CHECK(globals({4, 0, 2}) == Numbers{0, 1});
    CHECK(globals({4, 1, 2}) == Numbers{2, 3});
    CHECK(globals({4, 0, 2, Sharing::round_robin}) == Numbers{0, 2});
    CHECK(globals({4, 1, 2, Sharing::round_robin}) == Numbers{1, 3});
    CHECK(globals({5, 0, 2, Sharing::round_robin}) == Numbers{0, 2, 4});
    CHECK(globals({1, 1, 2, Sharing::round_robin}).empty());
    CHECK(globals({}).empty());
}

TEST_CASE("every micro-batch is one replica's, and found there by its local number") {
    for (const Sharing sharing : {Sharing::contiguous, Sharing::round_robin})
        for (const std::int64_t total : {1, 4, 7, 12})
            for (const int parts : {1, 2, 3, 4})
                for (std::int64_t micro = 0; micro < total; ++micro) {
                    int owners = 0;
                    for (int part = 0; part < parts; ++part) {
                        const MicroBatchShare share(total, part, parts, sharing);
                        const auto local = share.local(MicroBatch{micro});
                        if (!local) continue;
                        ++owners;
                        CHECK(share.global(*local) == MicroBatch{micro});
                    }
                    CHECK(owners == 1);
                }
}

TEST_CASE("replicas of a rank have neighbours among its micro-batches, and need them in turn") {
    constexpr ReplicaParts parts(6, 3);
    std::vector<std::int64_t> in_turn;
    for (std::int64_t i = 0; i < 6; ++i) in_turn.push_back(index(parts.in_turn(i)));
    CHECK(in_turn == std::vector<std::int64_t>{0, 2, 4, 1, 3, 5});
    for (int replica = 0; replica < 3; ++replica)
        for (const std::int64_t micro : {0, 1}) {
            const LocalMicroBatch of_rank = parts.of_rank(replica, LocalMicroBatch{micro});
            CHECK(index(of_rank) == 2 * replica + micro);
            CHECK(parts.replica_of(of_rank) == replica);
        }
}
