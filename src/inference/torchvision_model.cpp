#include "civitas/inference/torchvision_model.hpp"

#include "shape_text.hpp"

#include "civitas/base/coding.hpp"
#include "civitas/inference/state_dict.hpp"
#include "civitas/net/classifiers.hpp"
#include "civitas/schedule/classifier.hpp"

#include <algorithm>

namespace civitas::inference {
namespace {

constexpr std::int64_t their_channels = 3;

bool has_pool(const net::NetDescription& net) {
    return std::any_of(net.layers.begin(), net.layers.end(),
                       [](const auto& l) { return l.name == "maxpool"; });
}

}  // namespace

std::map<std::string, std::string> torchvision_model(const planner::Nets& nets) {
    std::string name = nets.name();
    std::erase(name, '-');
    const net::NetDescription& ours = nets[schedule::classifier::net];
    const net::NetDescription theirs =
        net::classifier(nets.name(), their_channels, usual_pixels, nets.choice().classes).net;
    const auto parameters = net::parameters_of(ours), others = net::parameters_of(theirs);
    std::string changes;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].shape != others.at(i).shape)
            changes += (changes.empty() ? "" : "; ") + parameters[i].name + ": " +
                       shape_text(parameters[i].shape);
    if (has_pool(theirs) && !has_pool(ours)) changes += "; no maxpool; conv1 of stride 1";
    if (changes.empty()) return {{"torchvision", name}};
    return {{"torchvision", name}, {"torchvision-changes", changes}};
}

}  // namespace civitas::inference
