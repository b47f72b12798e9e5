#include "plan.hpp"
#include "records.hpp"
#include "verify.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <algorithm>

namespace civitas::checkpoint {
namespace {

namespace fs = std::filesystem;

// The array of the file that a shard is part of.
const ArrayInfo& stored(const fs::path& file, const std::vector<ArrayInfo>& arrays,
                        const Shard& shard) {
    const std::size_t place = find_array(arrays, shard.name);
    if (place == arrays.size())
        throw Error(text(file, " has no array ", shard.name),
                    Hint{"it was written by another net, or for another purpose"});
    const ArrayInfo& found = arrays[place];
    if (found.shape != shard.shape)
        throw Error(text("array ", shard.name, " is ", to_string(found.shape), " in ", file,
                         " and ", to_string(shard.shape), " here"),
                    Hint{"it was written by another net"});
    return found;
}

// A piece of a shard, and where it comes from and counts.
struct Wanted {
    Piece piece;
    const ArrayInfo* array = nullptr;
    std::size_t shard = 0;
};

std::vector<Wanted> wanted_of(const fs::path& file, const std::vector<ArrayInfo>& arrays,
                              const std::vector<Shard>& shards) {
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < shards.size(); ++i)
        for (Piece& piece : pieces_of(shards[i]))
            wanted.push_back({std::move(piece), &stored(file, arrays, shards[i]), i});
    return wanted;
}

std::size_t size_of(const Wanted& w) {
    return static_cast<std::size_t>(w.piece.view.numel()) * bytes_of(w.array->type);
}

// Pieces pass through memory in two rooms: one that this rank reads into, one for what it is
// handed.
class Rooms {
public:
    explicit Rooms(const std::vector<Wanted>& wanted) {
        std::size_t most = 0;
        for (const Wanted& w : wanted) most = std::max(most, size_of(w));
        for (at::Tensor* room : {&read_, &handed_})
            *room = at::empty({static_cast<std::int64_t>(most)}, at::kByte);
    }
    [[nodiscard]] std::span<std::byte> read(const Wanted& w) const { return of(read_, w); }
    [[nodiscard]] std::span<std::byte> handed(const Wanted& w) const { return of(handed_, w); }

private:
    static std::span<std::byte> of(const at::Tensor& room, const Wanted& w) {
        return {static_cast<std::byte*>(room.mutable_data_ptr()), size_of(w)};
    }
    at::Tensor read_, handed_;
};

// Returns the checksum.
std::uint64_t read(const io::RawFile& file, const Wanted& w, std::span<std::byte> into) {
    const std::size_t size = bytes_of(w.array->type);
    std::uint64_t sum = 0;
    for (const FileRun& run : w.piece.runs) {
        const auto bytes = into.subspan(static_cast<std::size_t>(run.shard_begin) * size,
                                        static_cast<std::size_t>(run.count) * size);
        file.read_at(w.array->offset + static_cast<std::uint64_t>(run.array_begin) * size, bytes);
        sum += checksum_of(w.array->type, run.array_begin, bytes);
    }
    return sum;
}

void put(std::span<std::byte> values, const Wanted& w, const Shard& shard) {
    const auto type = w.array->type == hdf5::ElementType::f32 ? at::kFloat : at::kDouble;
    w.piece.view.copy_(at::from_blob(values.data(), w.piece.view.sizes(), type));
    shard.done_with(w.piece.view);
}

// One replica reads a piece and hands it to the others, each in its turn. Returns the checksums of
// what this rank read, one per shard. Collective along the replicas.
std::vector<std::uint64_t> fill(const comm::Communicator& replicas, const fs::path& file,
                                const std::vector<Wanted>& wanted,
                                const std::vector<Shard>& shards) {
    const auto count = static_cast<std::size_t>(replicas.size());
    const auto me = static_cast<std::size_t>(index(replicas.rank()));
    std::vector<std::uint64_t> sums(shards.size(), 0);
    const Rooms rooms = comm::agree(replicas, [&] { return Rooms(wanted); });
    const auto raw = comm::agree(replicas, [&] { return io::RawFile::open_to_read(file); });
    for (std::size_t first = 0; first < wanted.size(); first += count) {
        const std::size_t end = std::min(first + count, wanted.size());
        comm::agree(replicas, [&] {
            if (const std::size_t i = first + me; i < end)
                sums[wanted[i].shard] += read(raw, wanted[i], rooms.read(wanted[i]));
        });
        comm::Outcome failed;
        for (std::size_t i = first; i < end; ++i) {
            const auto values = i == first + me ? rooms.read(wanted[i]) : rooms.handed(wanted[i]);
            replicas.broadcast(values, Rank{static_cast<int>(i - first)});
            try {
                put(values, wanted[i], shards[wanted[i].shard]);
            } catch (...) {
                failed = std::current_exception();
            }
        }
        comm::require_agreement(replicas, failed);
    }
    return sums;
}

// A shard is written by one replica where one of them says so.
std::vector<std::uint64_t> writers_of(const comm::Communicator& replicas,
                                      const std::vector<Shard>& shards) {
    std::vector<std::uint64_t> writers;
    for (const Shard& shard : shards) writers.push_back(shard.writes ? 1 : 0);
    replicas.sum_in_place(writers);
    return writers;
}

std::int64_t hash_of(std::vector<Part> parts) {
    for (Part& part : parts) part.writes = false;
    const Record record = packed(parts);
    return static_cast<std::int64_t>(
        name_hash({reinterpret_cast<const char*>(record.data()), record.size()}));
}

void require_replicas(const comm::Communicator& ranks, const comm::Communicator& replicas,
                      const std::vector<Shard>& shards, const TypeOf& type) {
    const auto hash = comm::agree(ranks, [&] { return hash_of(parts_of(shards, type)); });
    const bool same = replicas.min(hash) == replicas.max(hash);
    comm::agree(ranks, [&] { ensure(same, "replicas hold the same shards"); });
    const auto writers = writers_of(replicas, shards);
    comm::agree(ranks, [&] {
        for (std::size_t i = 0; i < shards.size(); ++i)
            ensure(writers[i] > 0 || shards[i].box == whole_box(shards[i].shape),
                   "what no replica writes is a whole array");
    });
}

// Names of arrays whose checksums are not those of the file. `sums`: of what all replicas read.
std::vector<std::string> wrongly_read(const comm::Communicator& ranks,
                                      const comm::Communicator& replicas,
                                      const std::vector<ArrayInfo>& arrays,
                                      const std::vector<Shard>& shards,
                                      std::span<const std::uint64_t> sums) {
    const auto writers = writers_of(replicas, shards);
    std::vector<std::uint64_t> total(arrays.size(), 0), wrong(arrays.size(), 0);
    std::vector<std::uint64_t> named(arrays.size(), 0);
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const std::size_t place = place_of(arrays, shards[i].name);
        named[place] = 1;
        if (writers[i] == 0)
            wrong[place] += sums[i] == arrays[place].checksum ? 0 : 1;
        else if (replicas.is_root())
            total[place] += sums[i];
    }
    for (auto* numbers : {&total, &wrong, &named}) ranks.sum_in_place(*numbers);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (named[i] > 0 && (wrong[i] > 0 || total[i] != arrays[i].checksum))
            names.push_back(arrays[i].name);
    return names;
}

}  // namespace

void load(const comm::Communicator& ranks, const fs::path& file, const std::vector<Shard>& shards,
          const comm::Communicator& replicas) {
    const auto arrays = read_contents(ranks, file).arrays;
    const auto type = [&](const Shard& shard) { return stored(file, arrays, shard).type; };
    static_cast<void>(plan_of(ranks, shards, type));
    require_replicas(ranks, replicas, shards, type);
    const auto wanted = comm::agree(ranks, [&] { return wanted_of(file, arrays, shards); });
    auto sums = comm::agree(ranks, [&] { return fill(replicas, file, wanted, shards); });
    replicas.sum_in_place(sums);
    const auto wrong = wrongly_read(ranks, replicas, arrays, shards, sums);
    comm::agree(ranks, [&] {
        if (!wrong.empty()) throw damage(file, wrong);
    });
}

void load(const comm::Communicator& ranks, const fs::path& file, const std::vector<Shard>& shards) {
    load(ranks, file, shards, comm::Communicator::self());
}

}  // namespace civitas::checkpoint
