#include "gathered_nets.hpp"

#include <algorithm>

namespace civitas::parallel {

GatheredNets::GatheredNets(const std::vector<optim::NetParts>& nets) {
    for (const optim::NetParts& net : nets) nets_.push_back(net.weights);
}

void GatheredNets::perform(const schedule::Action& action) {
    optim::StageWeights* const weights = nets_.at(static_cast<std::size_t>(action.net));
    if (weights == nullptr) return;
    if (action.kind == schedule::Kind::release) return weights->release(action.stage);
    weights->gather(action.stage);
    std::int64_t bytes = 0;
    for (const optim::StageWeights* net : nets_)
        if (net != nullptr) bytes += net->bytes();
    peak_bytes_ = std::max(peak_bytes_, bytes);
}

void GatheredNets::wait_for(const schedule::Action& action) const {
    optim::StageWeights* const weights = nets_.at(static_cast<std::size_t>(action.net));
    if (weights != nullptr) weights->wait(action.stage);
}

void GatheredNets::progress() const {
    for (const optim::StageWeights* net : nets_)
        if (net != nullptr) net->progress();
}

void GatheredNets::clear() const {
    for (optim::StageWeights* net : nets_)
        if (net != nullptr) net->clear();
}

double GatheredNets::waited() const noexcept {
    double seconds = 0;
    for (const optim::StageWeights* net : nets_)
        if (net != nullptr) seconds += net->waited();
    return seconds;
}

}  // namespace civitas::parallel
