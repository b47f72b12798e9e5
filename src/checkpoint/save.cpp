#include "contents.hpp"
#include "plan.hpp"
#include "same_file.hpp"
#include "seal.hpp"
#include "verify.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

#include <optional>

namespace civitas::checkpoint {
namespace {

namespace fs = std::filesystem;

std::string file_name(StepIndex step) { return step_name(step) + ".h5"; }

Places broadcast(const comm::Communicator& ranks, Places places) {
    places.arrays = ranks.broadcast(std::move(places.arrays));
    places.checksums = ranks.broadcast(places.checksums);
    places.fingerprint = ranks.broadcast(places.fingerprint);
    return places;
}

std::uint64_t write_shard(const io::RawFile& file, std::uint64_t offset, const Shard& shard) {
    const std::size_t size = bytes_of(type_of(shard));
    return read_shard(shard, [&](const FileRun& run, std::span<const std::byte> bytes) {
        file.write_at(offset + static_cast<std::uint64_t>(run.array_begin) * size, bytes);
    });
}

std::vector<std::uint64_t> write_shards(const fs::path& part, const std::vector<ArrayInfo>& plan,
                                        const Places& places, const std::vector<Shard>& shards) {
    const io::RawFile file = io::RawFile::open_existing_to_write(part);
    std::vector<std::uint64_t> sums;
    for (const Shard& shard : shards)
        sums.push_back(write_shard(file, places.arrays[place_of(plan, shard.name)], shard));
    file.sync();
    return sums;
}

std::vector<std::uint64_t> checksums_of(const std::vector<Shard>& shards) {
    std::vector<std::uint64_t> sums;
    for (const Shard& shard : shards)
        sums.push_back(read_shard(shard, [](const FileRun&, std::span<const std::byte>) {}));
    return sums;
}

// What all ranks write, once a replica is sure that somebody writes what it holds.
std::vector<ArrayInfo> plan_to_write(const comm::Communicator& ranks,
                                     const std::vector<Shard>& shards) {
    auto plan = plan_of(ranks, writing(shards), type_of);
    comm::agree(ranks, [&] {
        for (const Shard& shard : shards)
            if (find_array(plan, shard.name) == plan.size())
                throw Error(text("no rank writes array ", shard.name));
    });
    return plan;
}

// What only the root does: the file's frame before the arrays, checksums and name after them.
class RootFile {
public:
    Places begin(const fs::path& folder, const Header& header,
                 const std::vector<ArrayInfo>& arrays) {
        fs::create_directories(folder);
        file_.emplace(folder / file_name(header.step));
        Places places = write_frame(file_->part(), header, arrays, most_bytes(header, arrays));
        const auto raw = io::RawFile::open_existing_to_write(file_->part());
        end_ = raw.size();
        arrays_ = arrays;
        for (std::size_t i = 0; i < arrays.size(); ++i) arrays_[i].offset = places.arrays[i];
        raw.reserve(end_ + seal_bytes(arrays_));
        mark_end(raw);
        return places;
    }
    std::uint64_t seal(const Places& places, std::span<const std::uint64_t> sums,
                       std::uint64_t fingerprint) {
        const auto raw = io::RawFile::open_existing_to_write(file_->part());
        raw.write_at(places.checksums, std::as_bytes(sums));
        raw.write_at(places.fingerprint, std::as_bytes(std::span(&fingerprint, 1)));
        add_seal(file_->part(), end_, arrays_);
        raw.sync();
        return end_ + seal_bytes(arrays_);
    }
    void commit() { file_->commit(); }
    [[nodiscard]] std::string part() const { return file_ ? file_->part().string() : ""; }

private:
    std::optional<io::AtomicFile> file_;
    std::vector<ArrayInfo> arrays_;
    std::uint64_t end_ = 0;  ///< of the HDF5 file; the seal follows
};

}  // namespace

Written save(const comm::Communicator& ranks, const fs::path& folder, const Header& header,
             const std::vector<Shard>& all_shards) {
    const std::vector<Shard> shards = writing(all_shards);
    const auto plan = plan_to_write(ranks, all_shards);
    RootFile root;
    const Places local = comm::agree(
        ranks, [&] { return ranks.is_root() ? root.begin(folder, header, plan) : Places{}; });
    const Places places = broadcast(ranks, local);
    const std::string part = ranks.broadcast(root.part());
    require_same_file(ranks, part);
    const auto mine = comm::agree(ranks, [&] { return write_shards(part, plan, places, shards); });
    const auto sums = totals(ranks, plan, shards, mine);
    const std::uint64_t fingerprint = combined(plan, sums);
    const std::uint64_t bytes = comm::agree(ranks, [&] {
        return ranks.is_root() ? root.seal(places, sums, fingerprint) : std::uint64_t{0};
    });
    const fs::path file = folder / file_name(header.step);
    require_written(ranks, part, file);
    comm::agree(ranks, [&] {
        if (ranks.is_root()) root.commit();
    });
    return {file, fingerprint, static_cast<std::int64_t>(ranks.broadcast(bytes))};
}

std::uint64_t fingerprint(const comm::Communicator& ranks, const std::vector<Shard>& all_shards) {
    const std::vector<Shard> shards = writing(all_shards);
    const auto plan = plan_to_write(ranks, all_shards);
    const auto mine = comm::agree(ranks, [&] { return checksums_of(shards); });
    return combined(plan, totals(ranks, plan, shards, mine));
}

void require_equal_replicas(const comm::Communicator& replicas, const std::vector<Shard>& shards) {
    const auto mine = comm::agree(replicas, [&] { return checksums_of(shards); });
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
