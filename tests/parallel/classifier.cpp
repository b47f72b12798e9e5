#include "support/torch.hpp"

#include "parallel/gan_step.hpp"

using namespace civitas;
using namespace civitas::parallel;
using namespace civitas::test;

// The executor knows graphs, not GANs: a net with one pass and a loss of its own.
namespace {

constexpr std::int64_t classes = 5;
const schedule::NetId only{0};

schedule::StepGraph classifier() {
    return {.nets = {"C"}, .passes = {{.name = "train", .net = only}}};
}

net::NetDescription small_classifier() {
    return {"classifier",
            {3, 8, 8},
            {{"conv0", net::Convolution{{3, 6, 4, 2, 1}}},
             {"norm0", net::BatchNorm{6}},
             {"relu0", net::LeakyRelu{0.0}},
             {"conv1", net::Convolution{{6, classes, 4, 1, 0}}}}};
}

at::Tensor labels_of(LocalMicroBatch micro) {
    return at::remainder(at::arange(tiles_a_micro_batch, at::kLong) + 2 * index(micro), classes);
}

/// Mean cross-entropy over all samples of the step.
torch::Tensor loss_of(const at::Tensor& logits_BC11, LocalMicroBatch micro, std::int64_t total) {
    namespace F = torch::nn::functional;
    return F::cross_entropy(logits_BC11.flatten(1), labels_of(micro),
                            F::CrossEntropyFuncOptions().reduction(torch::kSum)) /
           static_cast<double>(total);
}

class ClassifierTask : public Task {
public:
    ClassifierTask(TinyNet& net, std::int64_t micro_batches)
        : net_(net), total_(micro_batches * tiles_a_micro_batch) {}

    std::vector<at::Tensor> gradients;
    int observations = 0;

    at::Tensor input(schedule::PassId /*pass*/, LocalMicroBatch micro,
                     const at::Tensor& /*output*/) override {
        return real_of(micro);
    }
    at::Tensor output_gradient(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                               const at::Tensor& /*gradient*/) override {
        throw std::logic_error("nobody wants the gradient of a classifier's images");
    }
    at::Tensor loss_gradient(schedule::PassId /*pass*/, LocalMicroBatch micro,
                             const at::Tensor& y) override {
        const at::AutoGradMode taped(true);
        const auto logits = y.detach().clone().requires_grad_(true);
        return torch::autograd::grad({loss_of(logits, micro, total_)}, {logits}).front();
    }
    void record_statistics(const schedule::Action& /*visit*/,
                           const std::vector<nn::Statistics>& statistics) override {
        observations += static_cast<int>(statistics.size());
    }
    void reduce(schedule::NetId /*net*/) override { net_.reduce(); }
    void update(schedule::NetId /*net*/) override { gradients = net_.descend(); }

private:
    TinyNet& net_;
    std::int64_t total_;
};

/// The same steps by torch::nn::functional and autograd.
class AutogradClassifier {
public:
    explicit AutogradClassifier(const TinyNet& like) {
        for (const auto& view : like.weights.views())
            weights_.push_back(view.detach().clone().contiguous().requires_grad_(true));
    }
    std::vector<at::Tensor> step(std::int64_t micro_batches) {
        const at::AutoGradMode taped(true);
        auto loss = at::zeros({}, at::kDouble);
        for (std::int64_t m = 0; m < micro_batches; ++m)
            loss = loss + loss_of(forward(real_of(LocalMicroBatch{m})), LocalMicroBatch{m},
                                  micro_batches * tiles_a_micro_batch);
        const auto gradients = torch::autograd::grad({loss}, weights_);
        for (std::size_t i = 0; i < weights_.size(); ++i)
            weights_[i] =
                (weights_[i] - learning_rate * gradients[i]).detach().requires_grad_(true);
        return gradients;
    }

private:
    [[nodiscard]] at::Tensor forward(const at::Tensor& x) const {
        namespace F = torch::nn::functional;
        auto h = F::conv2d(x, weights_[0], F::Conv2dFuncOptions().stride(2).padding(1));
        h = F::relu(F::batch_norm(
            h, {}, {},
            F::BatchNormFuncOptions().weight(weights_[1]).bias(weights_[2]).training(true)));
        return F::conv2d(h, weights_[3]);
    }
    std::vector<at::Tensor> weights_;
};

}  // namespace

TEST_CASE("a classifier learns as autograd says, by every table of one coordinate") {
    const at::NoGradGuard nothing_is_taped;
    constexpr std::int64_t micro_batches = 3;
    for (const char* name : {"naive", "gpipe", "1f1b", "zero-bubble", "gan"})
        for (const bool recompute : {false, true}) {
            CAPTURE(name, recompute);
            TinyNet net(small_classifier(), {micro_batches, 1});
            AutogradClassifier expected(net);
            ClassifierTask task(net, micro_batches);
            Executor executor({{{{0, &net.stage, 0}}, &net.leaves}}, task, {.graph = classifier()});
            const auto table = schedule::make_schedule(
                name,
                {.graph = classifier(), .micro_batches = micro_batches, .recompute = recompute});
            for (int step = 0; step < 3; ++step) {
                executor.run(table.coordinates.front());
                const auto gradients = expected.step(micro_batches);
                REQUIRE(task.gradients.size() == gradients.size());
                for (std::size_t i = 0; i < gradients.size(); ++i)
                    CHECK(torch::allclose(task.gradients[i], gradients[i], 1e-10, 1e-12));
            }
            CHECK(task.observations == 3 * micro_batches);
            CHECK(executor.peak_kept() == schedule::KeptPeak{1});
        }
}
