#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "plan.hpp"
#include "same_file.hpp"
#include "verify.hpp"

#include <ATen/ops/empty.h>
#include <map>

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

std::uint64_t fill(const Shard& shard, const io::RawFile& file, const ArrayInfo& array) {
    const std::size_t size = bytes_of(array.type);
    std::uint64_t sum = 0;
    for_each_piece(shard, [&](const Piece& piece) {
        const at::Tensor values = at::empty(
            piece.view.sizes(), array.type == io::ElementType::f32 ? at::kFloat : at::kDouble);
        auto* data = static_cast<std::byte*>(values.mutable_data_ptr());
        for (const FileRun& run : piece.runs) {
            const std::span<std::byte> bytes{
                data + static_cast<std::size_t>(run.shard_begin) * size,
                static_cast<std::size_t>(run.count) * size};
            file.read_at(array.offset + static_cast<std::uint64_t>(run.array_begin) * size, bytes);
            sum += checksum_of(array.type, run.array_begin, bytes);
        }
        piece.view.copy_(values);
    });
    return sum;
}

// Writing shards add up to the array's checksum; equal boxes have equal ones, whoever read them.
std::vector<std::string> wrongly_read(const Plan& plan, const std::vector<ArrayInfo>& arrays,
                                      std::span<const std::uint64_t> sums) {
    std::map<std::pair<std::string, std::string>, std::uint64_t> seen;
    const auto agrees = [&](const Part& part, std::uint64_t sum) {
        std::string box;
        for (const Range& r : part.box) box += text(r.begin, '+', r.count, ' ');
        return seen.try_emplace({part.array.name, box}, sum).first->second == sum;
    };
    std::map<std::string, bool> wrong;
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (!agrees(plan.parts[i], sums[i])) wrong[plan.parts[i].array.name] = true;
    const auto total = totals(plan, sums);
    for (std::size_t i = 0; i < total.size(); ++i)
        if (total[i] != arrays[place_of(arrays, plan.arrays[i].name)].checksum)
            wrong[plan.arrays[i].name] = true;
    std::vector<std::string> names;
    for (const auto& [name, yes] : wrong) names.push_back(name);
    return names;
}

}  // namespace

void load(const comm::Communicator& ranks, const fs::path& file, const std::vector<Shard>& shards) {
    require_same_file(ranks, file);
    const auto arrays = arrays_in(ranks, file);
    const Plan plan = plan_of(ranks, shards,
                              [&](const Shard& shard) { return stored(file, arrays, shard).type; });
    const auto mine = comm::agree(ranks, [&] {
        const auto raw = io::RawFile::open_to_read(file);
        std::vector<std::uint64_t> sums;
        for (const Shard& shard : shards)
            sums.push_back(fill(shard, raw, stored(file, arrays, shard)));
        return sums;
    });
    const auto sums = ranks.all_gather(std::span<const std::uint64_t>(mine));
    comm::agree(ranks, [&] {
        const auto wrong = wrongly_read(plan, arrays, sums);
        if (!wrong.empty()) throw damage(file, wrong);
    });
}

}  // namespace civitas::checkpoint
