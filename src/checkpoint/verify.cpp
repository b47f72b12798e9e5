#include "verify.hpp"

#include "plan.hpp"
#include "records.hpp"
#include "same_file.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/comm/sums.hpp"
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
Range elements_to_check(const ArrayInfo& array, const comm::Communicator& ranks) {
    const int other = (index(ranks.rank()) + (ranks.size() + 1) / 2) % ranks.size();
    return block_range(elements_of(array.shape), other, ranks.size());
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
    auto sums = comm::agree(ranks, [&] {
        const auto raw = io::RawFile::open_to_read(file);
        std::vector<std::uint64_t> mine;
        for (const ArrayInfo& array : arrays)
            mine.push_back(checksum_in(raw, array, elements_to_check(array, ranks)));
        return mine;
    });
    comm::sum_in_place(ranks, sums);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (sums[i] != arrays[i].checksum) names.push_back(arrays[i].name);
    return names;
}

std::vector<std::string> damaged_arrays(const fs::path& file) {
    return damaged_arrays(comm::Communicator::self(), file);
}

std::optional<std::string> problem_with(const comm::Communicator& ranks, const fs::path& file) {
    require_same_file(ranks, file);
    try {
        const auto names = damaged_arrays(ranks, file);
        if (names.empty()) return {};
        return damage(file, names).what();
    } catch (const AgreedError& e) {
        if (comm::is_no_damage(e)) throw;
        return e.what();
    }
}

std::optional<std::string> problem_with(const fs::path& file) {
    return problem_with(comm::Communicator::self(), file);
}

void require_written(const comm::Communicator& ranks, const fs::path& part, const fs::path& name) {
    comm::agree(ranks, [&] { io::RawFile::open_to_read(part).drop_cache(); });
    const auto problem = problem_with(ranks, part);
    if (!problem) return;
    comm::agree(ranks, [&] {
        const fs::path aside = io::unused_name(name, ".damaged");
        if (ranks.is_root()) fs::rename(part, aside);
        throw Error(text("what was written to ", part, " does not read back, it is now ", aside,
                         ", older checkpoints are kept: ", *problem),
                    Hint{"the storage or the memory of this machine fails: look into its log, "
                         "write elsewhere"});
    });
}

Error damage(const fs::path& file, const std::vector<std::string>& arrays) {
    std::string names;
    for (const std::string& name : arrays) names += (names.empty() ? "" : ", ") + printable(name);
    return Error(text(file, " is damaged: ", names),
                 Hint{"use an older checkpoint, or copy this one again"});
}

}  // namespace civitas::checkpoint
