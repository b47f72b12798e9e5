#include "plan.hpp"

#include "cover.hpp"
#include "records.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/comm/agree.hpp"

#include <algorithm>

namespace civitas::checkpoint {
namespace {

constexpr std::int64_t piece_elements = std::int64_t{1} << 20;

void require_sound(const Shard& shard) {
    const auto view = shard.view.sizes();
    bool sound = shard.box.size() == shard.shape.size() && view.size() == shard.box.size();
    for (std::size_t d = 0; sound && d < shard.box.size(); ++d) {
        const Range range = shard.box[d];
        sound = range.begin >= 0 && range.count == view[d] && range.end() <= shard.shape[d];
    }
    if (!sound)
        throw Error(text("a shard of array ", shard.name, " ", to_string(shard.shape),
                         " does not fit it, or its view has another shape: ",
                         to_string(Shape(view.begin(), view.end()))));
    if (shard.name.size() < 2 || shard.name[0] != '/' ||
        shard.name.find_first_of(" \t\n") != std::string::npos)
        throw Error(text("'", shard.name, "' is no name for an array"));
}

template <class T>
std::span<const T> as(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace

Shard whole(std::string name, at::Tensor view, bool writes) {
    Shape shape(view.sizes().begin(), view.sizes().end());
    Box box = whole_box(shape);
    return {std::move(name), std::move(shape), std::move(box), std::move(view), writes};
}

hdf5::ElementType type_of(const Shard& shard) {
    if (shard.view.scalar_type() == at::kFloat) return hdf5::ElementType::f32;
    if (shard.view.scalar_type() == at::kDouble) return hdf5::ElementType::f64;
    throw Error(text("array ", shard.name, " is of type ", shard.view.scalar_type(),
                     ", checkpoints hold fp32 and fp64"));
}

std::vector<Part> parts_of(const std::vector<Shard>& shards, const TypeOf& type) {
    std::vector<Part> parts;
    for (const Shard& shard : shards) {
        require_sound(shard);
        parts.push_back({{shard.name, shard.shape, type(shard), 0, 0}, shard.box, shard.writes});
    }
    return parts;
}

std::vector<ArrayInfo> plan_of(const comm::Communicator& ranks, const std::vector<Shard>& shards,
                               const TypeOf& type) {
    const Record mine = comm::agree(ranks, [&] { return packed(parts_of(shards, type)); });
    std::vector<Part> everybodys;  // on the root
    for (Rank r{0}; index(r) < ranks.size(); r = Rank{index(r) + 1})
        if (ranks.is_root() || ranks.rank() == r)
            for (Part& part : parts_from(ranks.transfer(mine, r)))
                everybodys.push_back(std::move(part));
    const Record arrays = comm::agree(
        ranks, [&] { return ranks.is_root() ? packed(arrays_of(everybodys)) : Record{}; });
    return arrays_from(ranks.broadcast(arrays));
}

std::vector<Shard> writing(const std::vector<Shard>& shards) {
    std::vector<Shard> some;
    std::copy_if(shards.begin(), shards.end(), std::back_inserter(some),
                 [](const Shard& shard) { return shard.writes; });
    return some;
}

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

std::vector<Piece> pieces_of(const Shard& shard) {
    std::vector<Piece> pieces;
    for (const Box& box : pieces_of(shard.box, piece_elements)) {
        at::Tensor view = shard.view;
        for (std::size_t d = 0; d < box.size(); ++d)
            view = view.narrow(static_cast<std::int64_t>(d), box[d].begin - shard.box[d].begin,
                               box[d].count);
        pieces.push_back({view, runs_of(shard.shape, box)});
    }
    return pieces;
}

std::uint64_t read_shard(const Shard& shard, const VisitRun& visit) {
    const hdf5::ElementType type = type_of(shard);
    const std::size_t size = bytes_of(type);
    std::uint64_t sum = 0;
    for (const Piece& piece : pieces_of(shard)) {
        const at::Tensor values = piece.view.to(at::kCPU).contiguous();
        const auto* data = static_cast<const std::byte*>(values.const_data_ptr());
        for (const FileRun& run : piece.runs) {
            const std::span<const std::byte> bytes{
                data + static_cast<std::size_t>(run.shard_begin) * size,
                static_cast<std::size_t>(run.count) * size};
            sum += checksum_of(type, run.array_begin, bytes);
            visit(run, bytes);
        }
        shard.done_with(piece.view);
    }
    return sum;
}

std::uint64_t checksum_of(hdf5::ElementType type, std::int64_t first,
                          std::span<const std::byte> bytes) {
    const auto element = static_cast<std::uint64_t>(first);
    return bytes_of(type) == sizeof(float) ? checksum(element, as<float>(bytes))
                                           : checksum(element, as<double>(bytes));
}

std::vector<std::uint64_t> totals(const comm::Communicator& ranks,
                                  const std::vector<ArrayInfo>& plan,
                                  const std::vector<Shard>& shards,
                                  std::span<const std::uint64_t> shard_sums) {
    ensure(shard_sums.size() == shards.size(), "there is a checksum per shard");
    std::vector<std::uint64_t> sums(plan.size(), 0);
    for (std::size_t i = 0; i < shards.size(); ++i)
        if (shards[i].writes) sums[place_of(plan, shards[i].name)] += shard_sums[i];
    ranks.sum_in_place(sums);
    return sums;
}

std::uint64_t combined(const std::vector<ArrayInfo>& arrays,
                       std::span<const std::uint64_t> array_sums) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i)
        sum += mix64(name_hash(arrays[i].name), array_sums[i]);
    return sum;
}

}  // namespace civitas::checkpoint
