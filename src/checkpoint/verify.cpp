#include "verify.hpp"

#include "plan.hpp"
#include "records.hpp"
#include "same_file.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/unused_name.hpp"

#include <algorithm>

namespace civitas::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t block_elements = std::int64_t{1} << 20;

std::uint64_t checksum_in(const io::RawFile& file, const ArrayInfo& array, Range elements) {
    const std::size_t size = bytes_of(array.type);
    std::vector<double> room;  // aligned for both types
    std::uint64_t sum = 0;
    for (std::int64_t begin = elements.begin; begin < elements.end(); begin += block_elements) {
        const auto count =
            static_cast<std::size_t>(std::min(block_elements, elements.end() - begin));
        room.resize(count);
        const auto bytes = std::as_writable_bytes(std::span(room)).first(count * size);
        file.read_at(array.offset + static_cast<std::uint64_t>(begin) * size, bytes);
        sum += checksum_of(array.type, begin, bytes);
    }
    return sum;
}

// Of two ranks on one node the other's share would come from memory that both see: the share is
// that of a rank half the job away.
Range elements_to_check(const ArrayInfo& array, Rank rank, int ranks) {
    const int other = (index(rank) + (ranks + 1) / 2) % ranks;
    return block_range(elements_of(array.shape), other, ranks);
}

std::vector<std::uint64_t> checksums_in(const io::RawFile& file,
                                        const std::vector<ArrayInfo>& arrays, Rank rank,
                                        int ranks) {
    std::vector<std::uint64_t> sums;
    for (const ArrayInfo& array : arrays)
        sums.push_back(checksum_in(file, array, elements_to_check(array, rank, ranks)));
    return sums;
}

// Of arrays whose sums over all ranks are not those noted.
std::vector<std::string> with_other_sums(const comm::Communicator& ranks,
                                         const std::vector<ArrayInfo>& arrays,
                                         std::vector<std::uint64_t> sums) {
    ensure(sums.size() == arrays.size(), "there is a sum per array");
    ranks.sum_in_place(sums);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (sums[i] != arrays[i].checksum) names.push_back(arrays[i].name);
    return names;
}

// What is wrong, if anything, by what `find` returns or throws: that a file cannot be read now is
// not.
template <class Find>
std::optional<std::string> problem_of(const fs::path& file, Find&& find) {
    try {
        const std::vector<std::string> names = find();
        if (names.empty()) return {};
        return damage(file, names).what();
    } catch (const AgreedError& e) {
        if (comm::is_no_damage(e)) throw;
        return e.what();
    }
}

}  // namespace

Contents read_contents(const comm::Communicator& ranks, const fs::path& file) {
    require_same_file(ranks, file);
    const Record contents = comm::agree(
        ranks, [&] { return ranks.is_root() ? packed(read_contents(file)) : Record{}; });
    return contents_from(ranks.broadcast(contents));
}

std::vector<std::string> damaged_arrays(const comm::Communicator& ranks, const fs::path& file) {
    const auto arrays = read_contents(ranks, file).arrays;
    return with_other_sums(ranks, arrays, comm::agree(ranks, [&] {
                               return checksums_in(io::RawFile::open_to_read(file), arrays,
                                                   ranks.rank(), ranks.size());
                           }));
}

std::vector<std::string> damaged_arrays(const fs::path& file) {
    return damaged_arrays(comm::Communicator::self(), file);
}

std::optional<std::string> problem_with(const comm::Communicator& ranks, const fs::path& file) {
    require_same_file(ranks, file);
    return problem_of(file, [&] { return damaged_arrays(ranks, file); });
}

std::optional<std::string> problem_with(const fs::path& file) {
    return problem_with(comm::Communicator::self(), file);
}

std::vector<std::uint64_t> read_back(const fs::path& part, const std::vector<ArrayInfo>& arrays,
                                     Rank rank, int ranks) {
    const auto raw = io::RawFile::open_to_read(part);
    raw.drop_cache();
    return checksums_in(raw, arrays, rank, ranks);
}

void require_read_back(const comm::Communicator& ranks, const PartOf& file,
                       const std::vector<ArrayInfo>& arrays, const comm::Outcome& mine,
                       const std::vector<std::uint64_t>& sums) {
    require_same_file(ranks, file.part);
    const auto problem = problem_of(file.part, [&] {
        comm::require_agreement(ranks, mine);
        if (read_contents(ranks, file.part).arrays != arrays)
            throw AgreedError(text(file.part, " describes other arrays than were written"), false);
        return with_other_sums(ranks, arrays, sums);
    });
    if (!problem) return;
    comm::agree(ranks, [&] {
        const fs::path aside = io::unused_name(file.name, ".damaged");
        if (ranks.is_root()) fs::rename(file.part, aside);
        throw Error(text("what was written to ", file.part, " does not read back, it is now ",
                         aside, ", older checkpoints are kept: ", *problem),
                    Hint{"the storage or the memory of this machine fails: look into its log, "
                         "write elsewhere"});
    });
}

Error damage(const fs::path& file, const std::vector<std::string>& arrays) {
    return Error(text(file, " is damaged: ", join(arrays, ", ", printable)),
                 Hint{"use an older checkpoint, or copy this one again"});
}

}  // namespace civitas::checkpoint
