#pragma once
/// A GAN small enough to be checked against autograd, and the environment of its steps.
#include "civitas/parallel/executor.hpp"
#include "civitas/schedule/gan.hpp"
#include "tiny_nets.hpp"

#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace civitas::test {

inline constexpr std::int64_t tiles_a_micro_batch = 3;
inline constexpr double learning_rate = 0.05;

/// A net in fp64 with large initial weights, so that everything matters.
struct TinyNet {
    net::ArenaLayout layout;
    optim::Arena weights;
    nn::Stage stage;
    optim::LeafSum leaves;

    TinyNet(const net::NetDescription& net, schedule::LeafCounts counts)
        : layout(net::parameters_of(net)),
          weights(layout, at::kDouble, at::kCPU),
          stage(layers_over(net)),
          leaves(layout, net::slots_of_layers(net), counts, at::kDouble, at::kCPU) {
        optim::initialise(weights, layout, Seed{1}, net.name);
        for (const auto& view : weights.views())
            if (view.dim() == 4) view.mul_(10.0);
    }
    [[nodiscard]] optim::NetParts parts() { return {{{first_stage, &stage, 0}}, &leaves}; }
    /// Leaves the whole gradient in the first of its passes' sums.
    void reduce() const {
        const auto sums = leaves.sums();
        for (std::size_t pass = 1; pass < sums.size(); ++pass) sums.front().add_(sums[pass]);
    }
    /// One step of plain gradient descent; returns the gradient, parameter by parameter.
    std::vector<at::Tensor> descend() {
        const at::Tensor gradient = leaves.sums().front();
        const optim::Arena arena(layout, gradient);
        std::vector<at::Tensor> gradients;
        for (const auto& view : arena.views()) gradients.push_back(view.clone());
        weights.flat().sub_(gradient, learning_rate);
        return gradients;
    }

private:
    [[nodiscard]] std::vector<std::unique_ptr<nn::Layer>> layers_over(
        const net::NetDescription& net) const {
        std::vector<std::unique_ptr<nn::Layer>> layers;
        std::size_t slot = 0;
        for (const auto& layer : net.layers) {
            nn::LayerViews views;
            for (std::size_t i = net::parameters_of(layer).size(); i-- > 0;)
                views.parameters.push_back(weights.view(slot++));
            for (const auto& buffer : net::buffers_of(layer))
                views.buffers.push_back(at::zeros({buffer.elements}, at::kDouble));
            layers.push_back(nn::make_layer(layer, views));
        }
        return layers;
    }
};

struct TinyGan {
    TinyNet generator, discriminator;
    explicit TinyGan(std::int64_t micro_batches)
        : generator(tiny_generator(), {micro_batches, 1}),
          discriminator(tiny_discriminator(), {micro_batches, 2}) {}
    [[nodiscard]] std::vector<optim::NetParts> parts() {
        return {generator.parts(), discriminator.parts()};
    }
};

/// Numbers that belong to a visit.
inline at::Tensor drawn(std::uint64_t what, LocalMicroBatch micro, at::IntArrayRef shape) {
    auto source = at::detail::createCPUGenerator(100 * what + static_cast<std::uint64_t>(micro));
    return at::randn(shape, source, at::kDouble);
}
inline at::Tensor latent_of(LocalMicroBatch micro) {
    return drawn(1, micro, {tiles_a_micro_batch, 4, 1, 1});
}
inline at::Tensor real_of(LocalMicroBatch micro) {
    return drawn(2, micro, {tiles_a_micro_batch, 3, 8, 8}).tanh();
}
/// D sees every image turned and with noise that differs from pass to pass.
inline at::Tensor augmented(schedule::PassId pass, LocalMicroBatch micro, const at::Tensor& image) {
    const auto noise = drawn(3 + static_cast<std::uint64_t>(pass), micro, image.sizes());
    return image.flip({3}) + 0.2 * noise;
}
inline double target_of(schedule::PassId pass) {
    return pass == schedule::gan::fake ? 0.0 : pass == schedule::gan::real ? 0.9 : 1.0;
}

using VisitName = std::tuple<schedule::NetId, schedule::PassId, LocalMicroBatch>;

class TinyTask : public parallel::Task {
public:
    TinyTask(TinyGan& gan, std::int64_t micro_batches)
        : gan_(gan), total_(static_cast<double>(micro_batches * tiles_a_micro_batch)) {}

    std::vector<at::Tensor> generator_gradients, discriminator_gradients;
    std::vector<at::Tensor> logits;
    std::map<VisitName, nn::Statistics> observed;
    int observations = 0;
    std::optional<schedule::Action> fails_at;

    at::Tensor input(schedule::PassId pass, LocalMicroBatch micro,
                     const at::Tensor& output) override {
        if (pass == schedule::gan::generate) return latent_of(micro);
        return augmented(pass, micro, output.defined() ? output : real_of(micro));
    }
    at::Tensor output_gradient(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                               const at::Tensor& gradient) override {
        return gradient.flip({3});
    }
    parallel::PassLoss loss(schedule::PassId pass, LocalMicroBatch micro,
                            const at::Tensor& said) override {
        if (fails_at && fails_at->pass == pass && fails_at->micro == micro)
            throw std::runtime_error("made to fail");
        logits.push_back(said);
        return {{}, (said.sigmoid() - target_of(pass)) / total_};
    }
    void record_statistics(const schedule::Action& visit,
                           const std::vector<nn::Statistics>& statistics) override {
        ++observations;
        observed[{visit.net, visit.pass, visit.micro}] = statistics.at(0);
    }
    void reduce(schedule::NetId net) override { tiny(net).reduce(); }
    void update(schedule::NetId net) override {
        (net == schedule::gan::generator ? generator_gradients : discriminator_gradients) =
            tiny(net).descend();
    }

private:
    [[nodiscard]] TinyNet& tiny(schedule::NetId net) const {
        return net == schedule::gan::generator ? gan_.generator : gan_.discriminator;
    }

    TinyGan& gan_;
    double total_;
};

/// What a step does according to autograd.
struct ExpectedStep {
    std::vector<at::Tensor> generator_gradients, discriminator_gradients;
    std::vector<at::Tensor> logits;
    std::map<VisitName, std::vector<at::Tensor>> observed;  ///< mean, unbiased variance
};

/// Both nets written with torch::nn::functional.
class AutogradGan {
public:
    AutogradGan() : AutogradGan(TinyGan(1)) {}
    std::vector<at::Tensor> g, d;
    ExpectedStep expected;

    at::Tensor generate(const at::Tensor& z) {
        namespace F = torch::nn::functional;
        auto h = F::conv_transpose2d(z, g[0], F::ConvTranspose2dFuncOptions().stride(1));
        remember(h);
        h = F::relu(normalised(h, g[1], g[2]));
        return F::conv_transpose2d(h, g[3], F::ConvTranspose2dFuncOptions().stride(2).padding(1))
            .tanh();
    }
    at::Tensor loss_gradient(const at::Tensor& x) {
        namespace F = torch::nn::functional;
        const auto strided = F::Conv2dFuncOptions().stride(2).padding(1);
        const auto leaky = F::LeakyReLUFuncOptions().negative_slope(0.2);
        auto h = F::conv2d(F::leaky_relu(F::conv2d(x, d[0], strided), leaky), d[1], strided);
        remember(h);
        h = F::leaky_relu(normalised(h, d[2], d[3]), leaky);
        auto said = F::conv2d(h, d[4]);
        expected.logits.push_back(said.detach());
        return said;
    }
    void name_visit(VisitName visit) { visit_ = visit; }

private:
    explicit AutogradGan(const TinyGan& like) {
        const auto copy = [](const TinyNet& net, std::vector<at::Tensor>& to) {
            for (const auto& view : net.weights.views())
                to.push_back(view.detach().clone().contiguous().requires_grad_(true));
        };
        copy(like.generator, g);
        copy(like.discriminator, d);
    }
    static at::Tensor normalised(const at::Tensor& x, const at::Tensor& w, const at::Tensor& b) {
        namespace F = torch::nn::functional;
        return F::batch_norm(x, {}, {},
                             F::BatchNormFuncOptions().weight(w).bias(b).training(true).eps(1e-5));
    }
    void remember(const at::Tensor& x) {
        if (visit_) {
            auto& statistics = expected.observed[*visit_];
            statistics = {x.detach().mean({0, 2, 3}), x.detach().var({0, 2, 3}, true)};
        }
        visit_.reset();
    }
    std::optional<VisitName> visit_;
};

inline ExpectedStep autograd_step(std::int64_t micro_batches) {
    using schedule::NetId;
    using schedule::PassId;
    namespace F = torch::nn::functional;
    AutogradGan gan;
    const auto total = static_cast<double>(micro_batches * tiles_a_micro_batch);
    const auto loss_of = [&](PassId pass, LocalMicroBatch m, const at::Tensor& image) {
        if (pass != schedule::gan::d_generate)
            gan.name_visit({schedule::gan::discriminator, pass, m});
        const auto said = gan.loss_gradient(augmented(pass, m, image));
        return F::binary_cross_entropy_with_logits(
                   said, at::full_like(said, target_of(pass)),
                   F::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kSum)) /
               total;
    };
    const auto each = [&](const std::function<at::Tensor(LocalMicroBatch)>& loss) {
        auto sum = at::zeros({}, at::kDouble);
        for (std::int64_t m = 0; m < micro_batches; ++m) sum = sum + loss(LocalMicroBatch{m});
        return sum;
    };
    std::vector<at::Tensor> fakes;
    auto d_loss =
        each([&](LocalMicroBatch m) { return loss_of(schedule::gan::real, m, real_of(m)); });
    d_loss = d_loss + each([&](LocalMicroBatch m) {
                 gan.name_visit({schedule::gan::generator, schedule::gan::generate, m});
                 fakes.push_back(gan.generate(latent_of(m)));
                 return loss_of(schedule::gan::fake, m, fakes.back().detach());
             });
    gan.expected.discriminator_gradients = torch::autograd::grad({d_loss}, gan.d);
    for (std::size_t i = 0; i < gan.d.size(); ++i)
        gan.d[i] = (gan.d[i] - learning_rate * gan.expected.discriminator_gradients[i]).detach();
    const auto g_loss = each([&](LocalMicroBatch m) {
        return loss_of(schedule::gan::d_generate, m, fakes.at(static_cast<std::size_t>(m)));
    });
    gan.expected.generator_gradients = torch::autograd::grad({g_loss}, gan.g);
    return gan.expected;
}

}  // namespace civitas::test
