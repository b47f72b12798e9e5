#include "support/tensor.hpp"

#include "civitas/base/tree.hpp"
#include "civitas/optim/reduction.hpp"
#include "civitas/random/stream.hpp"
#include "optim/rank_sums.hpp"
#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::optim;
using comm::Communicator;

namespace {

net::ArenaLayout small_layout() {
    return net::ArenaLayout({{"a.weight", {3, 5, 2, 2}, net::Initializer::zero},
                             {"b.weight", {70}, net::Initializer::zero},
                             {"b.bias", {2}, net::Initializer::zero}});
}
/// The second layer has no parameters, the third two.
const std::vector<Range> small_groups{{0, 1}, {1, 0}, {1, 2}};

/// Numbers of wildly different magnitude: any other order of the sum gives other bits.
at::Tensor leaf_of(std::int64_t pass, std::int64_t micro, at::IntArrayRef shape,
                   at::ScalarType type) {
    const auto leaf = at::empty(shape, at::kDouble);
    const RandomStream stream(
        Seed{5}, Purpose::metric,
        {static_cast<std::uint64_t>(pass), static_cast<std::uint64_t>(micro)});
    auto* numbers = leaf.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < leaf.numel(); ++i) {
        const auto k = static_cast<std::uint64_t>(i);
        numbers[i] = std::ldexp(stream.uniform(2 * k) - 0.5,
                                static_cast<int>(30 * stream.uniform(2 * k + 1)));
    }
    return leaf.to(type);
}

/// Writes and pushes this rank's leaves of all passes, layers in the order of a backward pass.
void push_all(LeafSum& sum, schedule::LeafCounts counts, std::int64_t first_micro,
              at::ScalarType type) {
    for (std::int64_t pass = 0; pass < counts.passes; ++pass)
        for (std::int64_t m = 0; m < counts.per_pass; ++m)
            for (std::size_t group = sum.layers(); group-- > 0;) {
                for (const at::Tensor& place : sum.leaf(group))
                    place.copy_(leaf_of(pass, first_micro + m, place.sizes(), type));
                sum.push(group);
            }
}

at::Tensor in_tree_order(std::int64_t pass, std::int64_t count, at::IntArrayRef shape,
                         at::ScalarType type) {
    return tree_sum(
        0, count, [&](std::int64_t m) { return leaf_of(pass, m, shape, type); },
        [](const at::Tensor& a, const at::Tensor& b) { return a + b; });
}

bool same(const at::Tensor& flat, const net::ArenaLayout& layout,
          const std::function<at::Tensor(at::IntArrayRef)>& expected) {
    const Arena arena(layout, flat);
    bool all = true;
    for (const auto& view : arena.views()) all = all && at::equal(view, expected(view.sizes()));
    return all;
}

/// Adds up passes over ranks, and hands the sum to all of them.
void all_reduce(const comm::TensorCollectives& ranks, const std::vector<at::Tensor>& passes,
                const std::vector<Range>& slices) {
    RankSums sums(ranks);
    for (const at::Tensor& pass : passes) {
        sums.begin(pass, slices);
        sums.progress();
    }
    sums.finish();
    for (std::size_t pass = 1; pass < passes.size(); ++pass) passes[0].add_(passes[pass]);
    ranks.all_gather_slices(passes[0], slices);
}

}  // namespace

TEST_CASE("leaves are merged into the tree of tree_sum, for any number of them") {
    const auto layout = small_layout();
    for (std::int64_t m = 1; m <= 9; ++m)
        for (const auto type : {at::kFloat, at::kDouble}) {
            LeafSum sum(layout, small_groups, {m, 2}, type, at::kCPU);
            CHECK(sum.bytes() ==
                  (tree_depth(m) + 1) * layout.size() * (type == at::kFloat ? 4 : 8));
            for (int step = 0; step < 2; ++step) {
                push_all(sum, {m, 2}, 0, type);
                REQUIRE(sum.sums().size() == 2);
                for (std::int64_t pass = 0; pass < 2; ++pass)
                    CHECK(same(sum.sums()[static_cast<std::size_t>(pass)], layout,
                               [&](auto shape) { return in_tree_order(pass, m, shape, type); }));
                sum.restart();
            }
        }
}

TEST_CASE("the order matters for these numbers") {
    const auto shape = std::vector<std::int64_t>{70};
    auto plain = leaf_of(0, 0, shape, at::kFloat);
    for (std::int64_t m = 1; m < 4; ++m) plain = plain + leaf_of(0, m, shape, at::kFloat);
    CHECK_FALSE(at::equal(plain, in_tree_order(0, 4, shape, at::kFloat)));
}

TEST_CASE("sums are refused before all leaves have come, and leaves after them") {
    const auto layout = small_layout();
    LeafSum sum(layout, small_groups, {2, 1}, at::kFloat, at::kCPU);
    CHECK_THROWS(sum.sums());
    push_all(sum, {2, 1}, 0, at::kFloat);
    CHECK(sum.sums().size() == 1);
    CHECK_THROWS(sum.push(0));
    sum.restart();
    sum.push(0);
    CHECK_THROWS(sum.sums());
}

TEST_CASE("leaves that were replayed are recalled: their sums are what lies there") {
    const schedule::LeafCounts counts{3, 2};
    LeafSum sum(small_layout(), small_groups, counts, at::kDouble, at::kCPU);
    push_all(sum, counts, 0, at::kDouble);
    std::vector<at::Tensor> kept;
    for (const at::Tensor& of_pass : sum.sums()) kept.push_back(of_pass.clone());
    sum.restart();
    CHECK_THROWS_WITH(sum.sums(), Catch::Contains("all leaves have come"));
    for (int pass = 0; pass < counts.passes; ++pass)
        sum.sum_of(pass).copy_(kept.at(static_cast<std::size_t>(pass)) * 2);
    sum.recall();
    for (std::size_t pass = 0; pass < kept.size(); ++pass)
        CHECK(sum.sums().at(pass).equal(kept[pass] * 2));
    sum.restart();
    push_all(sum, counts, 0, at::kDouble);
    for (std::size_t pass = 0; pass < kept.size(); ++pass)
        CHECK(sum.sums().at(pass).equal(kept[pass]));
}

TEST_CASE("a watched sum remembers the first leaf with a NaN or an Inf") {
    const auto layout = small_layout();
    for (std::int64_t pass = 0; pass < 2; ++pass)
        for (std::int64_t number = 0; number < 3; ++number) {
            LeafSum sum(layout, small_groups, {3, 2}, at::kFloat, at::kCPU);
            sum.watch();
            for (std::int64_t p = 0; p < 2; ++p)
                for (std::int64_t m = 0; m < 3; ++m)
                    for (std::size_t group = sum.layers(); group-- > 0;) {
                        for (const at::Tensor& place : sum.leaf(group)) place.fill_(1e38);
                        const bool bad = std::tie(p, m) >= std::tie(pass, number) && group == 2;
                        if (bad) sum.leaf(group)[1].view(-1)[1].fill_(p == 0 ? NAN : -INFINITY);
                        sum.push(group);
                    }
            REQUIRE(sum.first_bad());
            CHECK(sum.first_bad()->pass == pass);
            CHECK(sum.first_bad()->micro == LocalMicroBatch{number});
            CHECK(sum.first_bad()->parameter == "b.bias");
        }
}

TEST_CASE("any layout of 8 micro-batches gives the same bits on every rank") {
    const auto world = Communicator::world();
    const auto layout = small_layout();
    const std::int64_t batches = 8;
    const schedule::LeafCounts counts{batches / world.size(), 2};
    for (const auto type : {at::kFloat, at::kDouble}) {
        LeafSum sum(layout, small_groups, counts, type, at::kCPU);
        push_all(sum, counts, index(world.rank()) * counts.per_pass, type);
        all_reduce(comm::MpiCollectives(world), sum.sums(),
                   net::aligned_slices(layout.size(), world.size()));
        REQUIRE_ALL(world, same(sum.sums()[0], layout, [&](auto shape) {
                        return in_tree_order(0, batches, shape, type) +
                               in_tree_order(1, batches, shape, type);
                    }));
    }
}

TEST_CASE("more ranks than slices of the arena") {
    const auto world = Communicator::world();
    const net::ArenaLayout layout({{"a.bias", {3}, net::Initializer::zero}});
    const Arena arena(layout, at::kFloat, at::kCPU);
    arena.view(0).fill_(static_cast<double>(index(world.rank()) + 1));
    all_reduce(comm::MpiCollectives(world), {arena.flat()},
               net::aligned_slices(layout.size(), world.size()));
    const int n = world.size();
    REQUIRE_ALL(world, (arena.view(0) == n * (n + 1) / 2).all().item<bool>());
}

TEST_CASE("slices longer than a round of the exchange") {
    const auto world = Communicator::world();
    const std::int64_t size = 64 * 40000 * world.size();
    const net::ArenaLayout layout({{"a.weight", {size}, net::Initializer::zero}});
    const auto of_rank = [&](std::int64_t rank) {
        return at::arange(size, at::kFloat)
            .mul_(static_cast<double>(rank * 7 + 3))
            .sin_()
            .mul_(std::pow(1e3, static_cast<double>(rank)));
    };
    const auto flat = of_rank(index(world.rank()));
    all_reduce(comm::MpiCollectives(world), {flat},
               net::aligned_slices(layout.size(), world.size()));
    const auto expected = tree_sum(0, world.size(), of_rank,
                                   [](const at::Tensor& a, const at::Tensor& b) { return a + b; });
    REQUIRE_ALL(world, at::equal(flat, expected));
}

TEST_CASE("MPI's own order gives nearly the same numbers") {
    const auto world = Communicator::world();
    const auto layout = small_layout();
    const schedule::LeafCounts counts{8 / world.size(), 2};
    LeafSum sum(layout, small_groups, counts, at::kDouble, at::kCPU);
    push_all(sum, counts, index(world.rank()) * counts.per_pass, at::kDouble);
    all_reduce_in_any_order(comm::MpiCollectives(world), sum.sums());
    const Arena arena(layout, sum.sums()[0]);
    const auto expected =
        in_tree_order(0, 8, {70}, at::kDouble) + in_tree_order(1, 8, {70}, at::kDouble);
    REQUIRE_ALL(world, at::allclose(arena.view(1), expected, 1e-9, 1e-3));
}
