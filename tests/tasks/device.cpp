#include "support/tensor.hpp"

#include "civitas/environment/devices.hpp"
#include "civitas/gpu/graph.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/classifier_objective.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "civitas/tasks/gan_objective.hpp"
#include "civitas/tasks/step_executor.hpp"
#include "support/gpu.hpp"
#include "train/agreement.hpp"

// GAN steps of dcgan-64 on the GPU and on the CPU: same weights, tiles and noise.

using namespace civitas;
using namespace civitas::test;
using namespace civitas::tasks;

namespace {

constexpr std::int64_t micro_batches = 2, classes = 4;

/// Learning rates of zero: the update of D, whose first step is as unsteady as a sign, leaves G's
/// gradient alone.
planner::Configuration small_step(const std::string& precision) {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64"});
    c.problem.micro_batch = 4;
    c.problem.batch = micro_batches * c.problem.micro_batch;
    c.problem.precision = net::parse_precision(precision);
    c.hyperparameters.generator_lr = c.hyperparameters.discriminator_lr = 0;
    return c;
}

at::Tensor real_tiles(const planner::Problem& problem, std::int64_t micro) {
    const at::Tensor x = at::empty({problem.micro_batch, 3, 64, 64}, at::kDouble);
    RandomStream(Seed{9}, Purpose::metric, {0, static_cast<std::uint64_t>(micro)})
        .normals(0, {x.data_ptr<double>(), static_cast<std::size_t>(x.numel())});
    return x.sign().to(at::kFloat);
}

struct Step {
    std::map<std::string, optim::LocalArray> arrays;  ///< all that a checkpoint would hold
    std::vector<StepValue> values;
};

std::shared_ptr<const Objective> objective_of(const planner::Configuration& c, at::Device device) {
    if (c.problem.task() == TaskKind::gan)
        return std::make_shared<GanObjective>(c.problem, c.hyperparameters, device);
    const auto in_turn = [](Sample s) { return index(s) % classes; };
    return std::make_shared<ClassifierObjective>(c.problem, c.hyperparameters, in_turn, device);
}

/// The state after `count` steps, the last of them launched as `launch` says. `prepare` is called
/// before the first.
Step steps_on(at::Device device, planner::Configuration c, int count, parallel::Launch launch,
              const std::function<void(const Models&)>& prepare = {}) {
    const auto alone = comm::Communicator::self();
    c.layout_options.device = device.is_cuda() ? DeviceKind::cuda : DeviceKind::cpu;
    Log log(Rank{0});
    const planner::ExecutionLayout layout =
        train::agree_on_layout(alone, c, train::agree_on_model(alone, c));
    const environment::Process process =
        train::agree_on_process(alone, c.layout_options, layout.mesh, log);
    const comm::Mesh mesh(alone, layout.mesh);
    Models models(c, layout, process, mesh);
    if (prepare) prepare(models);
    std::int64_t delivered = 0;
    std::optional<gpu::OwnStream> stream;
    ModelParts parts = parts_of(models, mesh);
    if (launch == parallel::Launch::graphs) {
        stream.emplace(process.device);
        parts.graphs = gpu::graphs_of(process.device);
    }
    StepExecutor steps(mesh, layout,
                       {.workload = planner::workload_of(c.problem, c.hyperparameters),
                        .objective = objective_of(c, process.device),
                        .micro_batches = {micro_batches, 0, 1},
                        .device = process.device,
                        .steps_follow = true},
                       models, std::move(parts),
                       [&] { return real_tiles(c.problem, delivered++); });
    Step result;
    for (int step = 0; step < count; ++step) {
        try {
            steps.run(StepIndex{step}, nullptr, step < 2 ? parallel::Launch::each : launch);
        } catch (const NonFiniteGradient& bad) {
            models[bad.net()].updater().watch();
            steps.run_leaves(StepIndex{step});
            const auto leaf = models[bad.net()].updater().first_bad_leaf();
            throw AgreedError(text(bad.what(), " First: ", leaf.value().parameter), false);
        }
        result.values = steps.task().finish().values;
    }
    for (const auto& net : models.all()) result.arrays.merge(net->arrays());
    for (auto& [name, array] : result.arrays) array.view = array.view.cpu();
    return result;
}

Step step_on(at::Device device, const std::string& precision) {
    return steps_on(device, small_step(precision), 1, parallel::Launch::each);
}

Step learn_on(at::Device device, const std::string& precision, net::KernelSet kernels,
              parallel::Launch launch, TaskKind task = TaskKind::gan) {
    planner::Configuration c = small_step(precision);
    planner::NetChoice nets = c.problem.nets.choice();
    if (task == TaskKind::classify)
        nets = {.task = task, .net = "resnet-18", .classes = classes, .pixels = 64};
    nets.kernels.choice = net::KernelChoice(kernels);
    nets.kernels.host = {.precision = c.problem.precision, .gpu = true};
    c.problem.nets = planner::Nets(nets);
    c.hyperparameters.generator_lr = c.hyperparameters.discriminator_lr = 1e-4;
    return steps_on(device, c, 6, launch);
}

/// Relative difference in the Euclidean norm.
double apart(const at::Tensor& a, const at::Tensor& b) {
    const auto wide_a = a.to(at::kCPU, at::kDouble);
    const auto wide_b = b.to(at::kCPU, at::kDouble);
    return ((wide_a - wide_b).norm() / wide_b.norm()).item<double>();
}

/// After one step the first moment is (1 - beta1) times the gradient.
bool tells_of_gradient(const std::string& name) {
    return name.ends_with("/exp_avg") || name.find("/buffers/") != std::string::npos;
}

void check_same(const Step& ours, const Step& theirs, double tolerance) {
    std::size_t compared = 0;
    for (const auto& [name, expected] : theirs.arrays) {
        if (!tells_of_gradient(name)) continue;
        INFO(name);
        CHECK(apart(ours.arrays.at(name).view, expected.view) < tolerance);
        ++compared;
    }
    CHECK(compared == 16 + 11 + 16);  // parameters of G and D, running statistics of both
    for (std::size_t i = 0; i < 2; ++i) {
        INFO(theirs.values.at(i).key);  // the losses
        CHECK(ours.values.at(i).value == Approx(theirs.values.at(i).value).epsilon(1e-5));
    }
}

/// What a step says that cannot be made, with a parameter of D filled by `value`, and zeros behind
/// its first convolution if that is it; and sees to it that no weights change.
std::string end_of_step(at::Device device, const std::string& parameter, double value) {
    std::vector<std::pair<at::Tensor, at::Tensor>> weights;  // and what they were
    const auto poison = [&](const Models& models) {
        const optim::ModelState& d = models[schedule::gan::discriminator];
        for (std::size_t i = 0; i < d.layout().slots().size(); ++i) {
            const std::string& name = d.layout().slots()[i].parameter.name;
            if (name == parameter) d.weights().view(i).fill_(value);
            if (name == "conv1.weight" && parameter == "conv0.weight") d.weights().view(i).zero_();
        }
        for (const auto& net : models.all())
            weights.emplace_back(net->weights().flat(), net->weights().flat().clone());
    };
    planner::Configuration c = small_step("fp32");
    c.hyperparameters.generator_lr = c.hyperparameters.discriminator_lr = 1e-4;
    std::string said = "a good step";
    try {
        (void)steps_on(device, c, 1, parallel::Launch::each, poison);
    } catch (const AgreedError& e) {
        said = e.what();
    }
    for (const auto& [now, before] : weights) CHECK(now.equal(before));
    return said;
}

}  // namespace

TEST_CASE("a step with numbers that are not finite changes no weights, whoever decides on them") {
    const torch::NoGradGuard quiet;
    std::vector<at::Device> devices{at::kCPU};
    if (gpu_here("bad steps were")) devices.push_back(environment::open_device(DeviceKind::cuda));
    for (const at::Device device : devices) {
        INFO(device);
        CHECK_THAT(end_of_step(device, "conv0.weight", 6e36),
                   Catch::StartsWith("in step 1 the gradient of discriminator conv1.weight") &&
                       Catch::Contains("First: conv1.weight"));
        CHECK_THAT(end_of_step(device, "conv4.weight", 1e38),
                   Catch::StartsWith("the loss of pass real is "));
    }
}

// What rounding costs, seen on the CPU: values agree to 2e-6, but where one of D's 32768 last
// activations lies on the other side of the leaky ReLU's kink, the gradients below it differ by 1
// in sqrt(32768). In fp64 none does, so there the comparison is strict.
constexpr double fp32_tolerance = 0.02;
constexpr double fp64_tolerance = 1e-10;

TEST_CASE("fp32 on the CPU is near fp64") {
    const torch::NoGradGuard quiet;
    check_same(step_on(at::kCPU, "fp32"), step_on(at::kCPU, "fp64"), fp32_tolerance);
}

TEST_CASE("a step's gradients on the GPU are those of the CPU") {
    if (!gpu_here("a GAN step was")) return;
    const torch::NoGradGuard quiet;
    const at::Device gpu = environment::open_device(DeviceKind::cuda);
    check_same(step_on(gpu, "fp32"), step_on(at::kCPU, "fp32"), fp32_tolerance);
    check_same(step_on(gpu, "fp64"), step_on(at::kCPU, "fp64"), fp64_tolerance);
}

TEST_CASE("steps on a GPU have the bits of one way to launch them, each kernel or as CUDA graphs") {
    if (!gpu_here("CUDA graphs were")) return;
    const torch::NoGradGuard quiet;
    const at::Device gpu = environment::open_device(DeviceKind::cuda);
    for (const auto& [precision, kernels, task] :
         {std::tuple{"fp32", net::KernelSet::aten, TaskKind::gan},
          {"bf16", net::KernelSet::fast, TaskKind::gan},
          {"fp32", net::KernelSet::aten, TaskKind::classify},
          {"bf16", net::KernelSet::fast, TaskKind::classify}}) {
        const Step by_graphs = learn_on(gpu, precision, kernels, parallel::Launch::graphs, task);
        const Step each = learn_on(gpu, precision, kernels, parallel::Launch::each, task);
        for (const auto& [name, array] : each.arrays) {
            INFO(precision << ' ' << name);
            CHECK(by_graphs.arrays.at(name).view.equal(array.view));
        }
        for (std::size_t i = 0; i < each.values.size(); ++i)
            CHECK(by_graphs.values[i].value == each.values[i].value);
    }
}
