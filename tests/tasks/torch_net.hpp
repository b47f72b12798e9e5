#pragma once
/// A net written with torch::nn from its description, and its arrays under a checkpoint's names.
#include "civitas/optim/model_state.hpp"
#include "support/torch.hpp"

#include <map>
#include <string>

namespace civitas::tasks::runs {

/// With copies of the weights of all layers in fp64. Precondition: one rank holds them all.
inline torch::nn::Sequential sequential(const net::NetDescription& net,
                                        const optim::ModelState& weights) {
    torch::nn::Sequential all;
    std::size_t slot = 0;
    for (const auto& layer : net.layers) {
        const auto take = [&](torch::Tensor& into) {
            into.set_data(weights.weights().view(slot++).clone());
        };
        const auto convolution = [](const net::ConvolutionGeometry& g, auto options) {
            return options.stride(g.stride).padding(g.padding).bias(false);
        };
        if (const auto* t = std::get_if<net::TransposedConvolution>(&layer.kind)) {
            torch::nn::ConvTranspose2d m(
                convolution(*t, torch::nn::ConvTranspose2dOptions(t->in, t->out, t->kernel)));
            take(m->weight);
            all->push_back(m);
        } else if (const auto* v = std::get_if<net::Convolution>(&layer.kind)) {
            torch::nn::Conv2d m(
                convolution(*v, torch::nn::Conv2dOptions(v->in, v->out, v->kernel)));
            take(m->weight);
            all->push_back(m);
        } else if (const auto* b = std::get_if<net::BatchNorm>(&layer.kind)) {
            torch::nn::BatchNorm2d m(torch::nn::BatchNorm2dOptions(b->channels).eps(b->epsilon));
            m->to(torch::kDouble);
            take(m->weight);
            take(m->bias);
            all->push_back(m);
        } else if (const auto* r = std::get_if<net::LeakyRelu>(&layer.kind)) {
            all->push_back(
                torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(r->slope)));
        } else {
            static_cast<void>(std::get<net::Tanh>(layer.kind));  // any other kind has no twin yet
            all->push_back(torch::nn::Tanh());
        }
    }
    return all;
}

/// The reference's arrays by name, as a checkpoint names those of `net`.
inline std::map<std::string, torch::Tensor> arrays_of(const net::NetDescription& net,
                                                      const torch::nn::Sequential& theirs) {
    std::map<std::string, torch::Tensor> all;
    const auto parameters = theirs->parameters();
    const auto specs = net::parameters_of(net);
    REQUIRE(parameters.size() == specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i)
        all[text('/', net.name, "/parameters/", specs[i].name)] = parameters[i].detach();
    std::vector<torch::Tensor> running;
    for (const auto& buffer : theirs->named_buffers())
        if (buffer.key().find("num_batches") == std::string::npos)
            running.push_back(buffer.value());
    const auto buffers = net::buffers_of(net);
    REQUIRE(running.size() == buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i)
        all[text('/', net.name, "/buffers/", buffers[i].name)] = running[i];
    return all;
}

}  // namespace civitas::tasks::runs
