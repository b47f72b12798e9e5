#include "civitas/optim/arena.hpp"

#include "arena_view.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/gpu/finite.hpp"
#include "civitas/memory/zeros_apart.hpp"
#include "civitas/optim/arena_shard.hpp"
#include "civitas/random/stream.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <cmath>

namespace civitas::optim {
namespace {

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
    if (shape.size() == 4)
        return {shape[1] * shape[2] * shape[3], 1, shape[3] * shape[1], shape[1]};
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
    return strides;
}

/// A parameter as rows of consecutive logical elements: a part along dim 1 has short ones, each
/// beginning somewhere in its whole row.
struct Rows {
    std::int64_t count = 0, length = 0;
    std::int64_t first = 0, apart = 0;  ///< logical index of the first row, and from row to row
};

Rows rows_of(const net::ParameterSpec& parameter) {
    const std::int64_t count = parameter.shape.at(0);
    const std::int64_t length = count == 0 ? 0 : parameter.elements() / count;
    if (!parameter.slice) return {count, length, 0, length};
    const auto& slice = *parameter.slice;
    if (slice.dim == 0) return {count, length, slice.begin * length, length};
    ensure(slice.dim == 1, "parameters are cut along one of their first two dims");
    const std::int64_t inner = length / parameter.shape[1];
    return {count, length, slice.begin * inner, slice.total * inner};
}

/// Rows of a view that are initialised before what they hold of such memory is let go.
std::int64_t rows_at_once(const at::Tensor& view, const memory::OffloadMemory* memory) {
    if (memory == nullptr) return view.size(0);
    const auto row = static_cast<std::int64_t>(view.nbytes()) / view.size(0);
    return std::max<std::int64_t>(1, memory->window() / std::max<std::int64_t>(1, row));
}

/// Some rows at a time, so few that their normals in double stay in a cache, and in memory that
/// malloc() does not give back in between.
void fill_normal(const at::Tensor& view, const Rows& rows, const RandomStream& stream, double mean,
                 double deviation) {
    constexpr std::int64_t at_once = std::int64_t{1} << 13;
    const std::int64_t fitting = at_once / std::max<std::int64_t>(rows.length, 1);
    const std::int64_t step = rows.length == rows.apart ? std::max<std::int64_t>(fitting, 1) : 1;
    at::parallel_for(0, rows.count, step, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; row += step) {
            const at::Tensor part = view.narrow(0, row, std::min(step, end - row));
            const at::Tensor drawn = at::empty(part.sizes(), at::kDouble);
            stream.normals(
                static_cast<std::uint64_t>(rows.first + row * rows.apart),
                {drawn.mutable_data_ptr<double>(), static_cast<std::size_t>(drawn.numel())});
            part.copy_(drawn.mul_(deviation).add_(mean));
        }
    });
}

/// `rows`: those of the parameter that `view` has.
void fill_initial(const at::Tensor& view, const net::ParameterSpec& parameter, const Rows& rows,
                  Seed seed, const std::string& net_name) {
    const std::uint64_t name = name_hash(net_name + "." + parameter.name);
    const auto around = [&](double mean) {
        fill_normal(view, rows, {seed, Purpose::weights, {.minor = name}}, mean,
                    parameter.deviation);
    };
    switch (parameter.initial) {
        case net::Initializer::zero: view.zero_(); break;
        case net::Initializer::one: view.fill_(1.0); break;
        case net::Initializer::normal_around_zero: around(0.0); break;
        case net::Initializer::normal_around_one: around(1.0); break;
    }
}

}  // namespace

at::Tensor view_at(const at::Tensor& flat, std::int64_t offset,
                   const std::vector<std::int64_t>& shape) {
    return flat.as_strided(shape, strides_of(shape), flat.storage_offset() + offset);
}

Arena::Arena(const net::ArenaLayout& layout, at::ScalarType type, at::Device device)
    : Arena(layout, memory::zeros_apart(layout.size(), at::TensorOptions(device).dtype(type))) {}

Arena::Arena(const net::ArenaLayout& layout, at::Tensor flat) : flat_(std::move(flat)) {
    ensure(flat_.dim() == 1 && flat_.is_contiguous() && flat_.numel() == layout.size(),
           "an arena's memory is flat and of its layout's size");
    for (const auto& [parameter, offset] : layout.slots())
        views_.push_back(view_at(flat_, offset, parameter.shape));
}

void initialise(const Arena& arena, const net::ArenaLayout& layout, Seed seed,
                const std::string& net_name) {
    for (std::size_t i = 0; i < layout.slots().size(); ++i) {
        const net::ParameterSpec& parameter = layout.slots()[i].parameter;
        fill_initial(arena.view(i), parameter, rows_of(parameter), seed, net_name);
    }
}

void initialise(const ArenaShard& shard, const net::ArenaLayout& layout, Seed seed,
                const std::string& net_name) {
    for (const auto& [slot, some, view] : shard.rows()) {
        const net::ParameterSpec& parameter = layout.slots()[slot].parameter;
        const Rows all = rows_of(parameter);
        const std::int64_t at_once = rows_at_once(view, shard.offloaded_to());
        for (std::int64_t row = 0; row < some.count; row += at_once) {
            const std::int64_t count = std::min(at_once, some.count - row);
            const at::Tensor part = view.narrow(0, row, count);
            const Rows rows{count, all.length, all.first + (some.begin + row) * all.apart,
                            all.apart};
            fill_initial(part, parameter, rows, seed, net_name);
            if (shard.offloaded_to() != nullptr) shard.offloaded_to()->let_go(part);
        }
    }
}

// A sum without NaN and Inf has no term with one; the reverse is not true.
bool all_finite(const at::Tensor& values) {
    return std::isfinite(values.sum().item<double>()) || at::isfinite(values).all().item<bool>();
}

at::Tensor finite_on_gpu(std::span<const at::Tensor> runs) {
    if (runs.empty() || runs.front().is_cpu()) return {};
    at::Tensor number = at::zeros({}, runs.front().options().dtype(at::kDouble));
    for (const at::Tensor& run : runs) gpu::spoil_unless_finite(run, number);
    return number;
}

bool all_finite(std::span<const at::Tensor> runs, const at::Tensor& number) {
    if (number.defined()) return std::isfinite(number.item<double>());
    return std::ranges::all_of(runs, [](const at::Tensor& run) { return all_finite(run); });
}

std::optional<std::string> first_non_finite(const at::Tensor& flat, const net::ArenaLayout& layout,
                                            const net::ArenaRuns& kept) {
    const bool alone = flat.numel() == kept.count();
    for (const net::SlotRows& some : net::rows_in(layout, kept)) {
        const auto& [parameter, offset] = layout.slots()[some.slot];
        const std::int64_t begin = offset + some.elements / some.rows.count * some.rows.begin;
        if (!all_finite(flat.narrow(0, alone ? some.place : begin, some.elements)))
            return parameter.name;
    }
    return std::nullopt;
}

}  // namespace civitas::optim
