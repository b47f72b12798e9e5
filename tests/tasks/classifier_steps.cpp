#include "gan_runs.hpp"
#include "local_part.hpp"
#include "nn/torch_classifiers.hpp"
#include "support/agree.hpp"

#include "civitas/schedule/classifier.hpp"

// Three steps of whole classifiers are those of torch::nn, autograd and torch::optim.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

constexpr std::int64_t classes = 3;

planner::Configuration run_of(const std::string& net, std::int64_t pixels) {
    planner::Configuration c = small_run();
    c.problem.nets = planner::Nets(
        {.task = TaskKind::classify, .net = net, .classes = classes, .pixels = pixels});
    c.hyperparameters.translate = 0;
    c.hyperparameters.optimizer = OptimizerKind::sgd;
    c.hyperparameters.weight_decay = 1e-3;
    return c;
}

/// Weights by name, as they are now.
template <class Module>
void take_weights(Module& truth, const optim::ModelState& net) {
    const torch::NoGradGuard quiet;
    const auto arrays = net.arrays();
    for (auto& parameter : truth.named_parameters())
        parameter.value().copy_(arrays.at("/classifier/parameters/" + parameter.key()).view);
}

/// `seen`: the samples that dropout of `truth` is told of.
template <class Module>
void learn(Module& truth, const planner::Configuration& c, nn::SampleRange& seen) {
    namespace F = torch::nn::functional;
    const planner::Hyperparameters& h = c.hyperparameters;
    torch::optim::SGD sgd(truth.parameters(), torch::optim::SGDOptions(h.classifier_lr)
                                                  .momentum(h.momentum)
                                                  .weight_decay(h.weight_decay));
    for (std::int64_t step = 0; step < steps; ++step) {
        sgd.zero_grad();
        for (std::int64_t m = 0; m < micros; ++m) {
            seen = {Seed{c.problem.seed}, Sample{(step * micros + m) * micro}};
            std::vector<std::int64_t> labels;
            for (std::int64_t i = 0; i < micro; ++i)
                labels.push_back((index(seen.first) + i) % classes);
            const auto loss = F::cross_entropy(truth.forward(real_tiles(c, step * micros + m)),
                                               torch::tensor(labels),
                                               F::CrossEntropyFuncOptions()
                                                   .label_smoothing(1 - h.label_smoothing)
                                                   .reduction(torch::kSum));
            (loss / static_cast<double>(c.problem.batch)).backward();
        }
        sgd.step();
    }
}

template <class Module>
void check(const comm::Communicator& world, const planner::Configuration& c, Module& truth,
           nn::SampleRange& seen) {
    truth.to(at::kDouble);
    take_weights(truth,
                 run_ours(comm::Communicator::self(), c, 0)->models[schedule::classifier::net]);
    learn(truth, c, seen);
    const torch::NoGradGuard quiet;
    for (const char* mesh : {"data", "pipe"}) {
        planner::Configuration laid_out = c;
        laid_out.layout_options.mesh = MeshRequest(text(mesh, '=', world.size()));
        const auto run = run_ours(world, laid_out);
        const auto arrays = run->models[schedule::classifier::net].arrays();
        REQUIRE(!arrays.empty());
        for (auto& parameter : truth.named_parameters()) {
            const auto mine = arrays.find("/classifier/parameters/" + parameter.key());
            if (mine == arrays.end()) continue;  // of another stage
            INFO(mesh << ", " << parameter.key());
            const auto expected = runs::part_of(parameter.value(), mine->second);
            CHECK((mine->second.view - expected).abs().max().template item<double>() < 1e-10);
        }
    }
}

}  // namespace

TEST_CASE("resnet-18 learns as torch::nn, autograd and torch::optim say") {
    nn::SampleRange seen;
    nn::test::Resnet18 truth(classes);
    check(comm::Communicator::world(), run_of("resnet-18", 16), truth, seen);
}

TEST_CASE("vgg-11 learns as torch::nn, autograd and torch::optim say, the same dropped") {
    nn::SampleRange seen;
    nn::test::Vgg11 truth(classes, seen);
    check(comm::Communicator::world(), run_of("vgg-11", 32), truth, seen);
}
