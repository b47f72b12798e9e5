#include "civitas/checkpoint/saving.hpp"

#include "plan.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"

#include <optional>
#include <utility>

namespace civitas::checkpoint {
namespace {

std::vector<std::uint64_t> checksums_of(const std::vector<Shard>& shards) {
    std::vector<std::uint64_t> sums;
    for (const Shard& shard : shards)
        sums.push_back(read_shard(shard, [](const FileRun&, std::span<const std::byte>) {}));
    return sums;
}

// Of a shard's bits in the order of its memory, which is one on replicas: cheaper than a checksum,
// which is one on all layouts.
std::uint64_t hash_of(const Shard& shard) {
    std::uint64_t hash = 0;
    for (const Piece& piece : pieces_of(shard)) {
        at::Tensor values = piece.view.to(at::kCPU);
        if (!values.is_non_overlapping_and_dense()) values = values.contiguous();
        const auto* data = static_cast<const std::byte*>(values.const_data_ptr());
        hash = civitas::hash_of({data, values.nbytes()}, hash);
        shard.done_with(piece.view);
    }
    return hash;
}

std::vector<std::uint64_t> hashes_of(const std::vector<Shard>& shards) {
    std::vector<std::uint64_t> hashes;
    for (const Shard& shard : shards) hashes.push_back(hash_of(shard));
    return hashes;
}

}  // namespace

Written save(const comm::Communicator& ranks, const std::filesystem::path& folder,
             const Header& header, const std::vector<Shard>& shards, Spare spare) {
    Saving saving(ranks, folder, header, shards, std::move(spare));
    std::optional<Written> written;
    while (!written) written = saving.advance(comm::outcome_of([&] { saving.work(); }));
    return *written;
}

std::uint64_t fingerprint(const comm::Communicator& ranks, const std::vector<Shard>& all_shards) {
    const std::vector<Shard> shards = writing(all_shards);
    const auto plan = plan_to_write(ranks, all_shards);
    const auto mine = comm::agree(ranks, [&] { return checksums_of(shards); });
    return combined(plan, totals(ranks, plan, shards, mine));
}

void require_equal_replicas(const comm::Communicator& replicas, const std::vector<Shard>& shards) {
    const auto mine = comm::agree(replicas, [&] { return hashes_of(shards); });
    const auto first = replicas.broadcast(mine);
    comm::agree(replicas, [&] {
        ensure(first.size() == mine.size(), "replicas hold the same shards");
        for (std::size_t i = 0; i < mine.size(); ++i)
            if (mine[i] != first[i])
                throw Error(text("the copies of ", shards[i].name, " on replicas 0 and ",
                                 index(replicas.rank()), " differ"),
                            Hint{"go on from the last checkpoint; if it happens again, look for "
                                 "failing memory or different machines"});
    });
}

}  // namespace civitas::checkpoint
