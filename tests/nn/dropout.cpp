#include "oracle.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/net/tensor_split.hpp"
#include "civitas/random/stream.hpp"

// Dropout: which values are dropped is a formula, which is written here a second time.

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

constexpr SampleRange some_samples{Seed{7}, Sample{40}};

net::LayerDescription dropout(double p) { return {"classifier.2", net::Dropout{p}}; }

/// 1 where a value is kept, in PyTorch's order.
at::Tensor mask(const std::string& layer, double p, const SampleRange& samples,
                at::IntArrayRef shape) {
    const auto made = torch::zeros(shape, at::kDouble);
    const auto rows = made.view({shape[0], -1});
    for (std::int64_t sample = 0; sample < shape[0]; ++sample) {
        const RandomStream numbers(
            samples.seed, Purpose::dropout,
            {static_cast<std::uint64_t>(index(samples.first) + sample), name_hash(layer)});
        for (std::int64_t i = 0; i < rows.size(1); ++i)
            if (numbers.uniform(static_cast<std::uint64_t>(i)) >= p) rows[sample][i] = 1;
    }
    return made;
}

/// Which values of ones a layer keeps.
at::Tensor kept_by(const net::LayerDescription& layer, const SampleRange& samples,
                   at::IntArrayRef shape) {
    return make_layer(layer, {})
        ->forward_of(channels_last(torch::ones(shape)), samples)
        .y.ne(0)
        .to(at::kDouble);
}

}  // namespace

TEST_CASE("dropout is x * mask / (1 - p), and B is that of autograd") {
    for (const double p : {0.0, 0.25, 0.5, 0.9})
        for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
            const std::vector<std::int64_t> shape{3, 5, 4, 2};
            const auto x = random_like(shape, type, 3);
            const auto gy = random_like(shape, type, 4);
            const auto layer = make_layer(dropout(p), {});
            auto [y, saved] = layer->forward_of(x, some_samples);
            const auto gx = layer->backward_input(gy, saved);
            const auto input = x.to(at::kDouble).contiguous().requires_grad_();
            const auto truth = input * mask("classifier.2", p, some_samples, shape) / (1 - p);
            truth.backward(gy.to(at::kDouble));
            const double tolerance = type == at::kBFloat16 ? 0.01 : 1e-6;
            INFO("p " << p << " in " << c10::toString(type));
            CHECK((y.scalar_type() == type && gx.scalar_type() == type));
            CHECK(y.is_contiguous(at::MemoryFormat::ChannelsLast));
            CHECK(gx.is_contiguous(at::MemoryFormat::ChannelsLast));
            CHECK(apart(y, truth) < tolerance);
            CHECK(apart(gx, input.grad()) < tolerance);
            CHECK(saved.bytes() == x.numel());
            CHECK(torch::equal(layer->evaluate(x), x));
        }
}

TEST_CASE("seeds, samples and layers drop other values, about p of them") {
    const std::vector<std::int64_t> shape{2, 4096, 1, 1};
    const auto first = kept_by(dropout(0.3), some_samples, shape);
    CHECK(first.mean().item<double>() == Approx(0.7).margin(0.03));
    CHECK(torch::equal(first, kept_by(dropout(0.3), some_samples, shape)));
    CHECK_FALSE(torch::equal(first[0], first[1]));
    const auto others = {kept_by(dropout(0.3), {Seed{8}, Sample{40}}, shape),
                         kept_by(dropout(0.3), {Seed{7}, Sample{42}}, shape),
                         kept_by({"classifier.5", net::Dropout{0.3}}, some_samples, shape)};
    for (const auto& other : others)
        CHECK((first - other).abs().mean().item<double>() == Approx(2 * 0.3 * 0.7).margin(0.03));
}

TEST_CASE("however samples are divided into micro-batches, the same values are dropped") {
    const auto whole = kept_by(dropout(0.5), some_samples, {4, 6, 3, 5});
    for (const std::int64_t size : {1, 2}) {
        std::vector<at::Tensor> parts;
        for (std::int64_t at = 0; at < 4; at += size)
            parts.push_back(kept_by(dropout(0.5),
                                    {some_samples.seed, Sample{index(some_samples.first) + at}},
                                    {size, 6, 3, 5}));
        CHECK(torch::equal(torch::cat(parts), whole));
    }
}

TEST_CASE("a part of the tensor axis drops what the whole layer drops of its channels") {
    const auto whole = kept_by(dropout(0.5), some_samples, {3, 8, 3, 5});
    const net::NetDescription net{"net", {8, 3, 5}, {dropout(0.5)}};
    const net::TensorSplit plan{
        4, {{net::ChannelSplit::channels, net::Placement::shard, net::Placement::shard}}};
    std::vector<at::Tensor> parts;
    for (int part = 0; part < 4; ++part)
        parts.push_back(
            kept_by(net::local_net(net, plan, part).layers.front(), some_samples, {3, 2, 3, 5}));
    CHECK(torch::equal(torch::cat(parts, 1), whole));
}

TEST_CASE("a stage and a block in it drop values of the samples that they are told") {
    const net::LayerDescription block{
        "b", net::Residual{{{"b.drop", net::Dropout{0.5}}}, {}, std::nullopt}};
    const auto stage = make_stage({dropout(0.5), block}, {{{}, {}}});
    const std::vector<std::int64_t> shape{2, 3, 4, 4};
    Stage::Context kept;
    kept.samples = some_samples;
    const auto x = random_like(shape, at::kDouble, 3);
    const auto y = stage.forward(x, kept);
    const auto first = mask("classifier.2", 0.5, some_samples, shape) * 2;
    const auto factor = 1 + 2 * mask("b.drop", 0.5, some_samples, shape);
    CHECK(apart(y, x * first * factor) < 1e-12);
    const auto gx = stage.backward_input(torch::ones_like(y), kept, true, false);
    CHECK(apart(gx, first * factor) < 1e-12);
    const auto again = stage.forward(x, kept);
    CHECK(torch::equal(again, y));
    CHECK(torch::equal(stage.evaluate(x), 2 * x));
}
