#include "diagnosis.hpp"

#include <ATen/ops/isfinite.h>
#include <optional>

namespace civitas::train {
namespace {

bool finite(const at::Tensor& values) { return at::isfinite(values.sum(at::kDouble)).item<bool>(); }

/// Name of the first layer whose output is not finite; x becomes the net's output. Running
/// statistics, so that no other rank is needed.
std::optional<std::string> first_bad_layer(const Net& net, at::Tensor& x) {
    const auto layers = make_layers(net.description(), net.sources(), {});
    for (std::size_t i = 0; i < layers.size(); ++i) {
        x = layers[i]->evaluate(x);
        if (!finite(x)) return net.description().layers[i].name;
    }
    return std::nullopt;
}

}  // namespace

std::string first_non_finite_layer(const Net& generator, const Net& discriminator,
                                   const at::Tensor& z_BC11) {
    for (const Net* net : {&generator, &discriminator})
        if (const auto bad = parallel::first_non_finite(net->weights().flat(), net->layout()))
            return text(net->name(), " has lost its weights ", *bad);
    at::Tensor x = z_BC11;
    for (const Net* net : {&generator, &discriminator})
        if (const auto bad = first_bad_layer(*net, x))
            return text(net->name(), ", layer ", *bad, ", gives the first such value");
    return "both nets give finite values on generated tiles, so it came with the real ones";
}

void require_finite(const Net& net, const at::Tensor& gradient, StepIndex step) {
    if (const auto bad = parallel::first_non_finite(gradient, net.layout()))
        throw AgreedError(text("the gradient of ", net.name(), ' ', *bad, " is not finite in step ",
                               index(step) + 1,
                               ". Hint: a lower learning rate; the last checkpoint "
                               "is untouched."),
                          false);
}

}  // namespace civitas::train
