#pragma once
/// A classifier as a model of torchvision.
#include "civitas/planner/options.hpp"

#include <map>
#include <string>

namespace civitas::inference {

/// `torchvision`: the model whose parameters and buffers have the names of a classifier's, such as
/// `resnet18`; and where some have other shapes than in that model with num_classes,
/// `torchvision-changes`: these, such as `conv1.weight: 64 x 3 x 3 x 3`, and a max pool that is not
/// there.
[[nodiscard]] std::map<std::string, std::string> torchvision_model(const planner::Nets& nets);

}  // namespace civitas::inference
