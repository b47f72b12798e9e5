#include "bits.hpp"
#include "civitas/base/clock.hpp"
#include "layouts.hpp"
#include "support/agree.hpp"

#include <iostream>

// Every layout of a run ends with the bits of one rank alone. Ordinary tests run a covering list;
// tests/full.sh runs all.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

constexpr std::int64_t eight = 8;  // micro-batches

planner::Configuration eight_micro_batches(ConditionKind condition = ConditionKind::none) {
    planner::Configuration c = small_run();
    c.problem.nets = small_nets({8, 8, 4, 4}, {4, 4, 8, 8}, condition);
    c.problem.batch = c.problem.micro_batch * eight;
    return c;
}

/// What one rank alone ends with; run by the root and told to all.
Bits alone(const comm::Communicator& world, const std::string& precision,
           ConditionKind condition = ConditionKind::none) {
    std::string lines;
    if (world.is_root()) {
        planner::Configuration c = eight_micro_batches(condition);
        c.problem.precision = net::parse_precision(precision);
        lines = lines_of(*run_ours(comm::Communicator::self(), c));
    }
    std::istringstream all(world.broadcast(lines));
    Bits bits;
    for (std::string line; std::getline(all, line);) bits.insert(line);
    return bits;
}

std::vector<LayoutCase> of_size(std::vector<LayoutCase> cases, int ranks) {
    std::erase_if(cases, [=](const LayoutCase& layout) { return layout.ranks() != ranks; });
    return cases;
}

std::vector<LayoutCase> up_to_eight_ranks() {
    auto cases = all_layouts(eight);
    std::erase_if(cases, [](const LayoutCase& layout) { return layout.ranks() > 8; });
    return cases;
}

/// Number of cases whose bits differ from those of one rank.
int count_different(const comm::Communicator& world, const std::vector<LayoutCase>& cases,
                    ConditionKind condition = ConditionKind::none) {
    const std::map<std::string, Bits> expected{{"fp32", alone(world, "fp32", condition)},
                                               {"bf16", alone(world, "bf16", condition)}};
    int different = 0;
    for (const LayoutCase& layout : cases) {
        const Stopwatch watch;
        const auto run = run_ours(world, layout.applied_to(eight_micro_batches(condition)));
        const auto found = difference(bits_of(world, *run), expected.at(layout.precision));
        INFO(layout.name());
        CHECK(found == "");
        if (!found.empty()) ++different;
        if (world.is_root())
            std::cout << layout.name() << (found.empty() ? ": same, " : ": DIFFERENT, ")
                      << watch.seconds() << " s" << std::endl;
    }
    return different;
}

/// A layer whose first leaf is one unit in the last place too large.
class NudgedLayer : public nn::Layer {
public:
    explicit NudgedLayer(std::unique_ptr<nn::Layer> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] nn::Forward forward(const at::Tensor& x) const override {
        return inner_->forward(x);
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return inner_->evaluate(x);
    }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            nn::SavedTensors& saved) const override {
        return inner_->backward_input(gy, saved);
    }
    [[nodiscard]] nn::NeededByW needed_by_weights() const override {
        return inner_->needed_by_weights();
    }
    void backward_weights(const at::Tensor& gy, nn::SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        inner_->backward_weights(gy, saved, leaf);
        if (std::exchange(nudged_, true)) return;
        const at::Tensor& g = leaf.front();
        g.copy_(at::nextafter(g, at::full_like(g, std::numeric_limits<float>::infinity())));
    }

private:
    std::unique_ptr<nn::Layer> inner_;
    mutable bool nudged_ = false;
};

/// The first stage of D that is held here, with its first layer nudged.
nn::Stage nudged_stage(const optim::ModelState& net) {
    auto layers = net.layers_of(net.local_stages().front().stage);
    layers.front() = std::make_unique<NudgedLayer>(std::move(layers.front()));
    return nn::Stage(std::move(layers));
}

}  // namespace

TEST_CASE("the list has every pair of choices") {
    const auto all = up_to_eight_ranks();
    const auto chosen = pairwise(all);
    CHECK(chosen.size() >= 18);  // six schedules by three meshes
    CHECK(chosen.size() <= 30);
    const auto has = [](const LayoutCase& layout, const std::string& a, const std::string& b) {
        const auto words = layout.words();
        return std::count(words.begin(), words.end(), a) == 1 &&
               std::count(words.begin(), words.end(), b) == 1;
    };
    std::set<std::string> words;
    for (const auto& layout : all)
        for (const auto& word : layout.words()) words.insert(word);
    CHECK(words.size() == 3 + 3 + 6 + 2 + 2 + 2 + 2 + 4 + 3 + 2);
    for (const auto& a : words)
        for (const auto& b : words) {
            const auto both = [&](const LayoutCase& layout) { return has(layout, a, b); };
            INFO(a << " with " << b);
            CHECK(std::any_of(all.begin(), all.end(), both) ==
                  std::any_of(chosen.begin(), chosen.end(), both));
        }
}

TEST_CASE("layouts that stand for all end with the bits of one rank") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const auto cases = world.size() == 16
                           ? std::vector<LayoutCase>{{4, 4, "gan", false, true, true, "fp32",
                                                      ShardLevel::parameters, Company::pairs, true}}
                           : of_size(pairwise(up_to_eight_ranks()), world.size());
    REQUIRE(!cases.empty());
    CHECK(count_different(world, cases) == 0);
}

TEST_CASE("so do some of them where plans are asked to be like something") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    if (world.size() > 8) return;
    const auto all = of_size(pairwise(up_to_eight_ranks()), world.size());
    std::vector<LayoutCase> cases;
    for (std::size_t i = 0; i < all.size(); i += 3) cases.push_back(all[i]);
    CHECK(count_different(world, cases, ConditionKind::cover) == 0);
}

TEST_CASE("what ranks on GPUs do with state in host memory ends with the bits of one rank") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    if (world.size() > 2) return;
    for (const ShardLevel shard : {ShardLevel::none, ShardLevel::parameters}) {
        const LayoutCase layout{.data = world.size(), .precision = "bf16", .shard = shard};
        planner::Configuration c = layout.applied_to(eight_micro_batches());
        c.layout_options.offload = Offload::host;
        c.layout_options.weight_copies = WeightCopies::rank;  // as on GPUs
        const auto run = run_ours(world, c);
        CHECK(run->models.offloaded_bytes() > 0);
        CHECK(difference(bits_of(world, *run), alone(world, layout.precision)) == "");
    }
}

TEST_CASE("one leaf that is wrong in its last bit on one rank is found") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const LayoutCase layout{.data = (world.size() + 1) / 2, .pipe = world.size() > 1 ? 2 : 1};
    std::optional<nn::Stage> wrong;
    const auto nudge = [&](Ours& run, ModelParts& parts) {
        if (index(world.rank()) != world.size() - 1) return;
        wrong.emplace(nudged_stage(run.models[schedule::gan::discriminator]));
        parts.replicas.front().at(1).stages.front().layers = &*wrong;
    };
    const auto run = run_ours(world, layout.applied_to(eight_micro_batches()), steps, nudge);
    const auto found = difference(bits_of(world, *run), alone(world, layout.precision));
    CHECK_THAT(found, Catch::Contains("lines differ, first /discriminator/"));
}

TEST_CASE("all layouts of this many ranks end with the bits of one rank", "[.full]") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const auto cases = of_size(all_layouts(eight), world.size());
    const Stopwatch watch;
    const int different = count_different(world, cases);
    if (world.is_root())
        std::cout << "ranks " << world.size() << ": " << cases.size() - different << " of "
                  << cases.size() << " same, " << watch.seconds() << " s\n";
    CHECK(different == 0);
}
