#include "diagnosis.hpp"

#include <limits>

namespace civitas::train {
namespace {

/// Name of the first layer whose output is not finite; x becomes the net's output. Running
/// statistics, so that no other rank is needed.
std::optional<std::string> first_bad_layer(const Net& net, at::Tensor& x) {
    const auto layers = make_layers(net.description(), net.sources(), {});
    for (std::size_t i = 0; i < layers.size(); ++i) {
        x = layers[i]->evaluate(x);
        if (!parallel::all_finite(x)) return net.description().layers[i].name;
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

NonFiniteGradient::NonFiniteGradient(parallel::Net net, const std::string& parameter,
                                     StepIndex step)
    : AgreedError(text("in step ", index(step) + 1, " the gradient of ",
                       net == parallel::Net::generator ? "generator " : "discriminator ", parameter,
                       " is not finite. Hint: a lower --generator-lr or --discriminator-lr; the "
                       "last checkpoint is untouched."),
                  false),
      net_(net),
      parameter_(parameter) {}

void require_finite(parallel::Net which, const Net& net, const at::Tensor& gradient,
                    StepIndex step) {
    if (const auto bad = parallel::first_non_finite(gradient, net.layout()))
        throw NonFiniteGradient(which, *bad, step);
}

std::vector<parallel::Action> leaves_only(const std::vector<parallel::Action>& table) {
    std::vector<parallel::Action> actions;
    for (const parallel::Action& a : table)
        if (a.kind != parallel::Kind::reduce && a.kind != parallel::Kind::step)
            actions.push_back(a);
    return actions;
}

std::optional<std::string> first_of_all(const comm::Communicator& ranks, parallel::Net which,
                                        const std::optional<parallel::BadLeaf>& mine, Range own) {
    // Leaves in the order of the step: by pass, then by micro-batch.
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const std::int64_t pass = ranks.min(mine ? mine->pass : none);
    if (pass == none) return std::nullopt;
    const bool in_pass = mine && mine->pass == pass;
    const std::int64_t micro = in_pass ? own.begin + mine->number : none;
    const std::int64_t first = ranks.min(micro);
    const std::int64_t teller = ranks.min(micro == first ? index(ranks.rank()) : ranks.size());
    const std::string name =
        ranks.broadcast(mine ? mine->parameter : std::string(), Rank{static_cast<int>(teller)});
    const auto kind = which == parallel::Net::generator ? parallel::Pass::generate
                      : pass == 0                       ? parallel::Pass::real
                                                        : parallel::Pass::fake;
    return text(name, ", pass ", to_string(kind), ", micro-batch ", first, ",");
}

}  // namespace civitas::train
