#pragma once
/// The small GAN run written with torch::nn, autograd and torch::optim. Nothing of it uses a layer,
/// loss, sum or optimizer of ours.
#include "civitas/schedule/gan.hpp"
#include "gan_runs.hpp"
#include "torch_net.hpp"

namespace civitas::tasks::runs {

struct Reference {
    planner::Configuration c;
    torch::nn::Sequential generator, discriminator;
    std::vector<torch::Tensor> mean;  ///< of G's weights
    std::vector<double> d_losses, g_losses;

    torch::Tensor seen_by_d(schedule::PassId pass, int step, std::int64_t m,
                            const torch::Tensor& image) const {
        const AugmentOptions o{Seed{c.problem.seed}, c.hyperparameters.instance_noise,
                               c.hyperparameters.translate};
        const SampleRange visit{StepIndex{step}, pass, Sample{(step * micros + m) * micro}};
        std::vector<torch::Tensor> moved;
        for (std::int64_t i = 0; i < micro; ++i) {
            const Shift by = shift_of(o, visit, i, 64);
            moved.push_back(torch::constant_pad_nd(image[i], {8, 8, 8, 8}, -1)
                                .narrow(1, 8 - by.down, 64)
                                .narrow(2, 8 - by.right, 64));
        }
        const AugmentOptions still{o.seed, o.noise, 0};
        const auto noise = augment(still, draw_augmentations(still, visit, micro, 64),
                                   torch::zeros_like(image), at::kDouble);
        return torch::stack(moved) + noise;
    }

    torch::Tensor loss(const torch::Tensor& logits, double target) const {
        return torch::binary_cross_entropy_with_logits(logits, torch::full_like(logits, target), {},
                                                       {}, at::Reduction::Sum) /
               static_cast<double>(micro * micros);
    }

    /// What the samples of a micro-batch are asked to be, (B,K).
    torch::Tensor asked(int step, std::int64_t m) const {
        std::vector<torch::Tensor> rows;
        for (std::int64_t i = 0; i < micro; ++i)
            rows.push_back(torch::tensor(condition_of(c)(Sample{(step * micros + m) * micro + i}),
                                         at::kDouble));
        return torch::stack(rows);
    }

    torch::Tensor drawn(int step, std::int64_t m) {
        const LatentOptions latents{Seed{c.problem.seed}, Purpose::latent, c.problem.nets.nz()};
        const auto z = latent(latents, static_cast<std::uint64_t>(step),
                              Sample{(step * micros + m) * micro}, micro, at::kDouble);
        if (!condition_of(c)) return generator->forward(z);
        return generator->forward(torch::cat({z, asked(step, m).view({micro, -1, 1, 1})}, 1));
    }

    /// D's logits of a micro-batch of images.
    torch::Tensor judged(int step, std::int64_t m, const torch::Tensor& image) {
        const auto y = discriminator->forward(image).flatten(1);
        if (!condition_of(c)) return y;
        return y.narrow(1, 0, 1) + (y.slice(1, 1) * asked(step, m)).sum(1, true);
    }

    /// Of cover that is not as it was wished, for these plans' part of the batch.
    torch::Tensor cover_loss(int step, std::int64_t m, const torch::Tensor& image) const {
        const auto [condition, cover, weight] = asked_of(c);
        if (weight == 0) return torch::zeros({}, at::kDouble);
        const auto drawn = (image.narrow(1, 0, 2).mean({2, 3}) + 1) / 2;
        const auto scaled =
            torch::stack({(drawn.select(1, 0) - cover.building.mean) / cover.building.deviation,
                          (drawn.select(1, 1) - cover.road.mean) / cover.road.deviation},
                         1);
        return weight * (scaled - asked(step, m).narrow(1, 0, 2)).square().sum() /
               static_cast<double>(micro * micros);
    }

    void step(int s, torch::optim::Adam& adam_g, torch::optim::Adam& adam_d) {
        std::vector<torch::Tensor> fakes;
        for (std::int64_t m = 0; m < micros; ++m) fakes.push_back(drawn(s, m));
        adam_d.zero_grad();
        auto d_loss = torch::zeros({}, at::kDouble);
        for (std::int64_t m = 0; m < micros; ++m)
            d_loss =
                d_loss +
                loss(judged(s, m,
                            seen_by_d(schedule::gan::real, s, m, real_tiles(c, s * micros + m))),
                     c.hyperparameters.label_smoothing);
        for (std::int64_t m = 0; m < micros; ++m)
            d_loss = d_loss + loss(judged(s, m,
                                          seen_by_d(schedule::gan::fake, s, m,
                                                    fakes[static_cast<std::size_t>(m)].detach())),
                                   0);
        d_loss.backward();
        adam_d.step();
        const auto before = copies(discriminator->buffers());
        adam_g.zero_grad();
        auto g_loss = torch::zeros({}, at::kDouble);
        for (std::int64_t m = 0; m < micros; ++m)
            g_loss = g_loss + loss(judged(s, m,
                                          seen_by_d(schedule::gan::d_generate, s, m,
                                                    fakes[static_cast<std::size_t>(m)])),
                                   1);
        auto of_cover = torch::zeros({}, at::kDouble);
        for (std::int64_t m = 0; m < micros; ++m)
            of_cover = of_cover + cover_loss(s, m, fakes[static_cast<std::size_t>(m)]);
        (g_loss + of_cover).backward();
        adam_g.step();
        d_losses.push_back(d_loss.item<double>());
        g_losses.push_back(g_loss.item<double>());
        const torch::NoGradGuard quiet;
        for (std::size_t i = 0; i < before.size(); ++i)
            discriminator->buffers()[i].copy_(before[i]);
        const auto weights = generator->parameters();
        const double decay = std::min(c.hyperparameters.ema, (s + 2.0) / (s + 11.0));
        for (std::size_t i = 0; i < weights.size(); ++i)
            mean[i].mul_(decay).add_(weights[i], 1 - decay);
    }

    static std::vector<torch::Tensor> copies(const std::vector<torch::Tensor>& tensors) {
        std::vector<torch::Tensor> all;
        for (const auto& t : tensors) all.push_back(t.detach().clone());
        return all;
    }
};

inline Reference run_reference(const planner::Configuration& c) {
    const Ours start(comm::Communicator::self(), c);
    Reference r{c,
                sequential(c.problem.nets[schedule::gan::generator],
                           start.models[schedule::gan::generator]),
                sequential(c.problem.nets[schedule::gan::discriminator],
                           start.models[schedule::gan::discriminator]),
                {},
                {},
                {}};
    r.mean = Reference::copies(r.generator->parameters());
    const auto adam = [&](const torch::nn::Sequential& net, double rate) {
        return torch::optim::Adam(net->parameters(),
                                  torch::optim::AdamOptions(rate).betas(
                                      {c.hyperparameters.beta1, c.hyperparameters.beta2}));
    };
    auto adam_g = adam(r.generator, c.hyperparameters.generator_lr);
    auto adam_d = adam(r.discriminator, c.hyperparameters.discriminator_lr);
    for (int s = 0; s < steps; ++s) r.step(s, adam_g, adam_d);
    return r;
}

}  // namespace civitas::tasks::runs
