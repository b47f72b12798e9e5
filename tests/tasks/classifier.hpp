#pragma once
/// A second task: which town a tile is from, learnt by a small net with one pass and a
/// cross-entropy.
#include "civitas/data/loader.hpp"
#include "civitas/planner/layout.hpp"
#include "civitas/planner/step_plan.hpp"
#include "civitas/tasks/pipe_view.hpp"
#include "civitas/tasks/step_statistics.hpp"
#include "torch_net.hpp"

namespace civitas::tasks::runs {

inline constexpr schedule::NetId only{0};
inline constexpr std::int64_t towns = 4;
inline constexpr double learning_rate = 1e-2;

inline planner::Workload town_classifier(net::Precision precision) {
    const net::NetDescription net{"classifier",
                                  {3, 16, 16},
                                  {{"conv0", net::Convolution{{3, 8, 4, 2, 1}}},
                                   {"norm0", net::BatchNorm{8}},
                                   {"relu0", net::LeakyRelu{0.0}},
                                   {"conv1", net::Convolution{{8, 8, 4, 2, 1}}},
                                   {"norm1", net::BatchNorm{8}},
                                   {"relu1", net::LeakyRelu{0.2}},
                                   {"conv2", net::Convolution{{8, 8, 1, 1, 0}}},
                                   {"relu2", net::LeakyRelu{0.2}},
                                   {"conv3", net::Convolution{{8, towns, 4, 1, 0}}}}};
    return {.name = "town-classifier",
            .graph = {.nets = {"C"}, .passes = {{.name = "train", .net = only}}},
            .nets = {{.description = net, .reads_ahead = true}},
            .batch = 16,
            .micro_batch = 2,
            .precision = precision};
}

/// Mean cross-entropy over all samples of a step, as far as it is these samples'.
inline torch::Tensor cross_entropy(const at::Tensor& logits_BC11, const at::Tensor& labels_B,
                                   std::int64_t samples_of_step) {
    namespace F = torch::nn::functional;
    return F::cross_entropy(logits_BC11.flatten(1), labels_B,
                            F::CrossEntropyFuncOptions().reduction(torch::kSum)) /
           static_cast<double>(samples_of_step);
}

/// Tiles and the towns they are from, micro-batch by micro-batch of a run.
class LabelledTiles {
public:
    LabelledTiles(const data::TileStore& store, const planner::Workload& workload)
        : store_(store), workload_(workload) {}

    [[nodiscard]] at::Tensor images_BCHW(StepIndex step, MicroBatch micro) const {
        return data::read_tiles(store_, tiles_of(step, micro), Coding::colour,
                                workload_[only].description.input.height)
            .to(nn::compute_type(workload_.precision))
            .contiguous(at::MemoryFormat::ChannelsLast);
    }
    [[nodiscard]] at::Tensor labels_B(StepIndex step, MicroBatch micro) const {
        std::vector<std::int64_t> labels;
        for (const TileIndex tile : tiles_of(step, micro))
            labels.push_back(store_.records().at(static_cast<std::size_t>(tile)).source);
        return torch::tensor(labels);
    }

private:
    [[nodiscard]] std::vector<TileIndex> tiles_of(StepIndex step, MicroBatch micro) const {
        const std::int64_t first =
            index(step) * workload_.batch + index(micro) * workload_.micro_batch;
        std::vector<TileIndex> tiles;
        for (std::int64_t i = 0; i < workload_.micro_batch; ++i)
            tiles.push_back(TileIndex{(first + i) % store_.size()});
        return tiles;
    }

    const data::TileStore& store_;
    const planner::Workload& workload_;
};

class ClassifierTask : public parallel::Task {
public:
    ClassifierTask(const comm::Mesh& mesh, const planner::Workload& workload, Sharing sharing,
                   optim::ModelState& net, const LabelledTiles& tiles)
        : net_(net),
          tiles_(tiles),
          batch_(workload.batch),
          own_(own_micro_batches(workload.micro_batches(), mesh.shape(), mesh.coordinate(),
                                 sharing)),
          statistics_(mesh, workload.micro_batches(), sharing, false) {}

    void begin(StepIndex step) { step_ = step; }

    at::Tensor input(schedule::PassId /*pass*/, LocalMicroBatch micro,
                     const at::Tensor& /*output*/) override {
        return tiles_.images_BCHW(step_, own_.global(micro));
    }
    at::Tensor output_gradient(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                               const at::Tensor& /*gradient*/) override {
        throw std::logic_error("nobody wants the gradient of a classifier's images");
    }
    parallel::PassLoss loss(schedule::PassId /*pass*/, LocalMicroBatch micro,
                            const at::Tensor& y) override {
        const at::AutoGradMode taped(true);
        const auto logits = y.detach().to(at::kDouble).requires_grad_(true);
        const auto mean = cross_entropy(logits, tiles_.labels_B(step_, own_.global(micro)), batch_);
        return {{},
                torch::autograd::grad({mean}, {logits})
                    .front()
                    .to(y.scalar_type())
                    .contiguous(at::MemoryFormat::ChannelsLast)};
    }
    void record_statistics(const schedule::Action& visit,
                           const std::vector<nn::Statistics>& statistics) override {
        statistics_.record(visit, statistics);
    }
    void reduce(schedule::NetId /*net*/) override { net_.reduce(); }
    void update(schedule::NetId net) override {
        statistics_.apply(net, net_);
        net_.update();
    }

private:
    optim::ModelState& net_;
    const LabelledTiles& tiles_;
    std::int64_t batch_;
    MicroBatchShare own_;
    StepStatistics statistics_;
    StepIndex step_{};
};

/// Some steps of the classifier on a mesh of `ranks`, and what they leave on this rank.
class ClassifierRun {
public:
    ClassifierRun(const comm::Communicator& ranks, planner::Workload workload,
                  const planner::LayoutOptions& options, MeshShape shape)
        : workload_(std::move(workload)),
          model_(workload_, {}, ranks.size()),
          layout_(planner::lay_out(model_, options, shape, planner::SearchBudget::check).layout),
          mesh_(ranks, shape),
          net_(local_stages(mesh_, layout_, only, workload_[only].description), net_options()) {
        if (shape[Axis::pipe] > 1) transport_ = mesh_.transport();
    }

    void train(const data::TileStore& store, int steps) {
        const LabelledTiles tiles(store, workload_);
        ClassifierTask task(mesh_, workload_, sharing_of(layout_.shard), net_, tiles);
        parallel::Executor executor(
            {net_.parts()}, task,
            pipeline_of(mesh_, layout_, workload_, transport_.get(), at::kCPU));
        for (int step = 0; step < steps; ++step) {
            task.begin(StepIndex{step});
            executor.run(layout_.schedule[mesh_.coordinate().pipe()]);
        }
        peak_bytes_ = executor.peak_bytes();
    }

    [[nodiscard]] const optim::ModelState& net() const { return net_; }
    [[nodiscard]] std::int64_t peak_bytes() const { return peak_bytes_; }
    [[nodiscard]] planner::RankMemory planned() const {
        return planner::plan_of(model_, layout_)
            .memory.at(static_cast<std::size_t>(mesh_.coordinate().pipe()));
    }

private:
    [[nodiscard]] optim::ModelOptions net_options() const {
        optim::ModelOptions options;
        options.name = "classifier";
        options.updater.optimizer.learning_rate = learning_rate;
        options.updater.leaves = workload_.leaves(layout_, only);
        options.updater.data = &mesh_.collectives(Axis::data);
        options.updater.shard = layout_.shard;
        options.updater.node_memory = layout_.ranks_of_node > 1;
        options.precision = workload_.precision;
        options.seed = Seed{1};
        options.layers.tensor = &mesh_.collectives(Axis::tensor);
        return options;
    }

    planner::Workload workload_;
    planner::CostModel model_;
    planner::ExecutionLayout layout_;
    comm::Mesh mesh_;
    optim::ModelState net_;
    std::unique_ptr<comm::PointToPoint> transport_;
    std::int64_t peak_bytes_ = 0;
};

}  // namespace civitas::tasks::runs
