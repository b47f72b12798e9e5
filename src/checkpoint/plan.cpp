#include "plan.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/base/random.hpp"
#include "civitas/comm/agree.hpp"

#include <algorithm>

namespace civitas::checkpoint {
namespace {

constexpr std::int64_t piece_elements = std::int64_t{1} << 22;

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

io::ElementType type_of(const Shard& shard) {
    if (shard.view.scalar_type() == at::kFloat) return io::ElementType::f32;
    if (shard.view.scalar_type() == at::kDouble) return io::ElementType::f64;
    throw Error(text("array ", shard.name, " is of type ", shard.view.scalar_type(),
                     ", checkpoints hold fp32 and fp64"));
}

Plan plan_of(const comm::Communicator& ranks, const std::vector<Shard>& shards,
             const std::function<io::ElementType(const Shard&)>& type) {
    const std::string mine = comm::agree(ranks, [&] {
        std::vector<Part> parts;
        for (const Shard& shard : shards) {
            require_sound(shard);
            parts.push_back(
                {{shard.name, shard.shape, type(shard), 0, 0}, shard.box, shard.writes});
        }
        return to_text(parts);
    });
    Plan plan;
    std::string everybodys;
    for (const std::string& lines : ranks.all_gather(mine)) everybodys += lines;
    plan.parts = parts_from(everybodys);
    plan.arrays = comm::agree(ranks, [&] { return arrays_of(plan.parts); });
    return plan;
}

std::vector<Shard> writing(const std::vector<Shard>& shards) {
    std::vector<Shard> some;
    std::copy_if(shards.begin(), shards.end(), std::back_inserter(some),
                 [](const Shard& shard) { return shard.writes; });
    return some;
}

void for_each_piece(const Shard& shard, const std::function<void(const Piece&)>& visit) {
    for (const Box& box : pieces_of(shard.box, piece_elements)) {
        at::Tensor view = shard.view;
        for (std::size_t d = 0; d < box.size(); ++d)
            view = view.narrow(static_cast<std::int64_t>(d), box[d].begin - shard.box[d].begin,
                               box[d].count);
        visit({view, runs_of(shard.shape, box)});
    }
}

std::uint64_t read_shard(const Shard& shard, const VisitRun& visit) {
    const io::ElementType type = type_of(shard);
    const std::size_t size = bytes_of(type);
    std::uint64_t sum = 0;
    for_each_piece(shard, [&](const Piece& piece) {
        const at::Tensor values = piece.view.to(at::kCPU).contiguous();
        const auto* data = static_cast<const std::byte*>(values.const_data_ptr());
        for (const FileRun& run : piece.runs) {
            const std::span<const std::byte> bytes{
                data + static_cast<std::size_t>(run.shard_begin) * size,
                static_cast<std::size_t>(run.count) * size};
            sum += checksum_of(type, run.array_begin, bytes);
            visit(run, bytes);
        }
    });
    return sum;
}

std::uint64_t checksum_of(io::ElementType type, std::int64_t first,
                          std::span<const std::byte> bytes) {
    const auto element = static_cast<std::uint64_t>(first);
    return bytes_of(type) == sizeof(float) ? checksum(element, as<float>(bytes))
                                           : checksum(element, as<double>(bytes));
}

std::vector<std::uint64_t> totals(const Plan& plan, std::span<const std::uint64_t> part_sums) {
    expect(part_sums.size() == plan.parts.size(), "there is a checksum per part");
    std::vector<std::uint64_t> sums(plan.arrays.size(), 0);
    for (std::size_t i = 0; i < part_sums.size(); ++i)
        if (plan.parts[i].writes)
            sums[place_of(plan.arrays, plan.parts[i].array.name)] += part_sums[i];
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
