#pragma once
/// Nets cut over the ranks of a communicator against the whole ones.
#include "cases.hpp"

#include "civitas/comm/communicator.hpp"
#include "civitas/net/tensor_split.hpp"
#include "support/agree.hpp"

namespace civitas::nn::test {

inline double tolerance_of(at::ScalarType type) {
    if (type == at::kDouble) return 1e-12;
    return type == at::kFloat ? 1e-5 : 0.02;
}

inline at::Tensor part_of(const at::Tensor& whole, const std::optional<net::ArraySlice>& slice,
                          std::int64_t local) {
    if (!slice) return whole;
    return whole.narrow(static_cast<std::int64_t>(slice->dim), slice->begin, local);
}

/// This rank's numbers of a net whose whole has `numbers`; exchanges have none.
inline Numbers numbers_of(const net::NetDescription& part, const Numbers& numbers) {
    Numbers mine;
    std::size_t layer = 0;
    for (const auto& l : part.layers) {
        if (std::holds_alternative<net::Redistribute>(l.kind)) {
            mine.layers.emplace_back();
            continue;
        }
        const auto& whole = numbers.layers[layer++];
        LayerViews views;
        const auto parameters = net::parameters_of(l);
        const auto buffers = net::buffers_of(l);
        for (std::size_t i = 0; i < parameters.size(); ++i)
            views.parameters.push_back(channels_last(
                part_of(whole.parameters[i], parameters[i].slice,
                        parameters[i].slice ? parameters[i].shape[parameters[i].slice->dim] : 0)));
        for (std::size_t i = 0; i < buffers.size(); ++i)
            views.buffers.push_back(
                part_of(whole.buffers[i], buffers[i].slice, buffers[i].elements).contiguous());
        mine.layers.push_back(views);
    }
    return mine;
}

inline at::Tensor local_part(const comm::Communicator& ranks, const at::Tensor& x,
                             net::Placement how) {
    if (how == net::Placement::replicate) return x;
    const auto count = x.size(1) / ranks.size();
    return channels_last(x.narrow(1, index(ranks.rank()) * count, count));
}

inline bool equal_on_all(const comm::Communicator& ranks, const at::Tensor& x) {
    const auto mine = x.to(at::kDouble).contiguous();
    const auto all = ranks.all_gather(std::span<const double>(
        mine.const_data_ptr<double>(), static_cast<std::size_t>(mine.numel())));
    return torch::equal(torch::tensor(all, at::kDouble).view({ranks.size(), -1}),
                        mine.view({1, -1}).expand({ranks.size(), -1}));
}

/// A net cut as planned against autograd. What is whole must be the same bits on all ranks.
inline void check_cut(const comm::Communicator& ranks, const net::NetDescription& net,
                      const net::TensorSplit& plan, std::int64_t batch, at::ScalarType type,
                      double tolerance) {
    const auto shapes = net::shapes_of(net);
    const auto of = [&](net::ImageShape s, std::uint64_t seed) {
        return random_like({batch, s.channels, s.height, s.width}, type, seed);
    };
    const auto x = of(shapes.front(), 3);
    const auto gy = of(shapes.back(), 5);
    const auto numbers = random_numbers(net.layers, type);
    const auto truth = run_twin(twin_net(net.layers, numbers), x, gy);
    const comm::MpiCollectives exchange(ranks);
    const auto part = net::local_net(net, plan, index(ranks.rank()));
    const auto mine = numbers_of(part, numbers);
    const net::Placement before = plan.layers.front().before;
    const net::Placement after = plan.layers.back().after;
    const auto ours = run(make_stage(part.layers, mine, {.tensor = &exchange}), mine,
                          local_part(ranks, x, before), local_part(ranks, gy, after));
    REQUIRE_ALL(ranks, ours.y.scalar_type() == type && ours.gx.scalar_type() == type);
    REQUIRE_ALL(ranks, ours.y.is_contiguous(at::MemoryFormat::ChannelsLast));
    REQUIRE_ALL(ranks, ours.gx.is_contiguous(at::MemoryFormat::ChannelsLast));
    REQUIRE_ALL(ranks, apart(ours.y, local_part(ranks, truth.y, after)) < tolerance);
    REQUIRE_ALL(ranks, apart(ours.gx, local_part(ranks, truth.gx, before)) < tolerance);
    if (before == net::Placement::replicate) REQUIRE_ALL(ranks, equal_on_all(ranks, ours.gx));
    if (after == net::Placement::replicate) REQUIRE_ALL(ranks, equal_on_all(ranks, ours.y));
    const auto specs = net::parameters_of(part);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        INFO(specs[i].name);
        const auto& slice = specs[i].slice;
        const auto wanted =
            part_of(truth.gradients[i], slice, slice ? specs[i].shape[slice->dim] : 0);
        REQUIRE_ALL(ranks, apart(ours.gradients[i], wanted) < tolerance);
        if (!slice) REQUIRE_ALL(ranks, equal_on_all(ranks, ours.gradients[i]));
    }
}

}  // namespace civitas::nn::test
