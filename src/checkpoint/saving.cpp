#include "civitas/checkpoint/saving.hpp"

#include "contents.hpp"
#include "plan.hpp"
#include "records.hpp"
#include "same_file.hpp"
#include "seal.hpp"
#include "verify.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/io/files.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace civitas::checkpoint {
namespace {

namespace fs = std::filesystem;

std::string file_name(StepIndex step) { return step_name(step) + ".h5"; }

void copy(const io::RawFile& from, const io::RawFile& to, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    std::vector<std::byte> bytes;
    for (; begin < end; begin += bytes.size()) {
        bytes.resize(std::min(most, end - begin));
        from.read_at(begin, bytes);
        to.write_at(begin, bytes);
    }
}

// What only the root does: the file's frame before the arrays, checksums and name after them.
class RootFile {
public:
    /// Returns the arrays with their offsets.
    std::vector<ArrayInfo> begin(const fs::path& file, const Header& header,
                                 std::vector<ArrayInfo> arrays, Spare spare) {
        fs::create_directories(file.parent_path());
        file_.emplace(file);
        const bool over = spare.may_be_written_over();
        if (!over) spare = {};  // its room is needed
        places_ = write_frame(file_->part(), header, arrays, over ? 0 : most_bytes(header, arrays));
        end_ = io::RawFile::open_to_read(file_->part()).size();
        for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i].offset = places_.arrays[i];
        if (over) write_over(spare.part(), arrays);
        const auto raw = io::RawFile::open_existing_to_write(file_->part());
        raw.reserve(end_ + seal_bytes(arrays));
        mark_end(raw);
        return arrays;
    }
    /// Returns the size of the file.
    std::uint64_t seal(const std::vector<ArrayInfo>& arrays, std::uint64_t fingerprint) {
        std::vector<std::uint64_t> sums;
        for (const ArrayInfo& array : arrays) sums.push_back(array.checksum);
        const auto raw = io::RawFile::open_existing_to_write(file_->part());
        raw.write_at(places_.checksums, std::as_bytes(std::span<const std::uint64_t>(sums)));
        raw.write_at(places_.fingerprint, std::as_bytes(std::span(&fingerprint, 1)));
        add_seal(file_->part(), end_, arrays);
        raw.sync();
        return end_ + seal_bytes(arrays);
    }
    void commit() { file_->commit(); }
    [[nodiscard]] std::string part() const { return file_ ? file_->part().string() : ""; }

private:
    /// Puts another file in the place of the part, with all that the part has but the arrays.
    void write_over(const fs::path& old, std::vector<ArrayInfo> arrays) const {
        std::sort(arrays.begin(), arrays.end(),
                  [](const auto& a, const auto& b) { return a.offset < b.offset; });
        const auto from = io::RawFile::open_to_read(file_->part());
        const auto to = io::RawFile::open_existing_to_write(old);
        to.resize(end_);
        std::uint64_t begin = 0;
        for (const ArrayInfo& array : arrays) {
            copy(from, to, begin, array.offset);
            const auto elements = static_cast<std::uint64_t>(elements_of(array.shape));
            begin = std::max(begin, array.offset + elements * bytes_of(array.type));
        }
        copy(from, to, begin, end_);
        fs::rename(old, file_->part());
    }

    std::optional<io::AtomicFile> file_;
    Places places_;
    std::uint64_t end_ = 0;  ///< of the HDF5 file; the seal follows
};

std::uint64_t write_shard(const io::RawFile& file, std::uint64_t offset, const Shard& shard) {
    const std::size_t size = bytes_of(type_of(shard));
    return read_shard(shard, [&](const FileRun& run, std::span<const std::byte> bytes) {
        file.write_at(offset + static_cast<std::uint64_t>(run.array_begin) * size, bytes);
    });
}

// Returns a checksum per shard.
std::vector<std::uint64_t> write_shards(const fs::path& part, const std::vector<ArrayInfo>& arrays,
                                        const std::vector<Shard>& shards) {
    const io::RawFile file = io::RawFile::open_existing_to_write(part);
    std::vector<std::uint64_t> sums;
    for (const Shard& shard : shards)
        sums.push_back(write_shard(file, arrays[place_of(arrays, shard.name)].offset, shard));
    file.sync();
    return sums;
}

enum class Phase { write, read_back, done };

}  // namespace

struct Saving::State {
    State(const comm::Communicator& all, const fs::path& folder, const Header& header,
          const std::vector<Shard>& all_shards, Spare spare)
        : ranks(all),
          name(folder / file_name(header.step)),
          shards(writing(all_shards)),
          arrays(plan_to_write(all, all_shards)) {
        const Record placed = comm::agree(ranks, [&] {
            return ranks.is_root() ? packed(root.begin(name, header, arrays, std::move(spare)))
                                   : Record{};
        });
        arrays = arrays_from(ranks.broadcast(placed));
        part = ranks.broadcast(root.part());
        require_same_file(ranks, part);
    }

    void end_writing(const comm::Outcome& mine) {
        comm::require_agreement(ranks, mine);
        const auto sums = totals(ranks, arrays, shards, shard_sums);
        for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i].checksum = sums[i];
        shards.clear();
        fingerprint = combined(arrays, sums);
        bytes = comm::agree(ranks, [&] {
            return ranks.is_root() ? root.seal(arrays, fingerprint) : std::uint64_t{0};
        });
    }
    void end_reading(const comm::Outcome& mine) {
        require_read_back(ranks, {part, name}, arrays, mine, sums_read);
        comm::on_root(ranks, [&] { root.commit(); });
    }

    const comm::Communicator& ranks;
    RootFile root;
    fs::path name;
    std::vector<Shard> shards;      ///< of this rank that write
    std::vector<ArrayInfo> arrays;  ///< with offsets; with checksums once all is written
    fs::path part;
    Phase phase = Phase::write;
    std::vector<std::uint64_t> shard_sums;  ///< of what this rank wrote, per shard
    std::vector<std::uint64_t> sums_read;   ///< of what this rank read back, per array
    std::uint64_t fingerprint = 0;
    std::uint64_t bytes = 0;  ///< on the root
};

Saving::Saving(const comm::Communicator& ranks, const fs::path& folder, const Header& header,
               const std::vector<Shard>& all_shards, Spare spare)
    : state_(std::make_unique<State>(ranks, folder, header, all_shards, std::move(spare))) {}
Saving::Saving(Saving&&) noexcept = default;
Saving& Saving::operator=(Saving&&) noexcept = default;
Saving::~Saving() = default;

void Saving::work() {
    State& s = *state_;
    if (s.phase == Phase::write)
        s.shard_sums = write_shards(s.part, s.arrays, s.shards);
    else
        s.sums_read = read_back(s.part, s.arrays, s.ranks.rank(), s.ranks.size());
}

std::optional<Written> Saving::advance(const comm::Outcome& mine) {
    State& s = *state_;
    if (s.phase == Phase::write) {
        s.end_writing(mine);
        s.phase = Phase::read_back;
        return {};
    }
    ensure(s.phase == Phase::read_back, "a save ends once");
    s.end_reading(mine);
    s.phase = Phase::done;
    return Written{s.name, s.fingerprint, static_cast<std::int64_t>(s.ranks.broadcast(s.bytes))};
}

}  // namespace civitas::checkpoint
