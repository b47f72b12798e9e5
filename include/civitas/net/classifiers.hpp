#pragma once
/// Nets that say which class an image is of.
#include "civitas/net/description.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace civitas::net {

/// What a classifier is for. Its net gives a logit for each class: (classes, 1, 1).
struct ClassifierDescription {
    std::string name;
    std::int64_t pixels = 0;  ///< a side of its images
    std::int64_t classes = 0;
    NetDescription net;  ///< called `classifier`
};

/// `resnet-18`, ...: what classifier() knows.
[[nodiscard]] std::vector<std::string> classifier_names();

/// Describes a classifier of square images by name: `vgg-11`, `vgg-16` (configurations A and D of
/// Simonyan & Zisserman, arXiv 1409.1556: biases, no batch norm, dropout 0.5), `resnet-18`,
/// `resnet-50` (He et al., arXiv 1512.03385; the stride of a bottleneck is in its 3 x 3
/// convolution, as in torchvision). Layers are named as torchvision names its modules
/// (`features.0`, `layer1.0.conv1`, `layer1.0.downsample.0`, `fc`), so that at 224 pixels names and
/// shapes of parameters and running statistics are those of its models. Convolutions begin normal
/// with the variance 2 / (out * kernel^2) (He et al., arXiv 1502.01852, mode fan-out), linear
/// layers with the deviation 0.01, batch norms at 1 and 0, biases at 0.
///
/// The head of a VGG takes 7 x 7 pixels, or pixels / 32 a side where images are smaller. Up to 32
/// pixels a ResNet begins with a 3 x 3 convolution of stride 1 and without a pool, as is the custom
/// for CIFAR-10 (Chen et al., arXiv 2002.05709, B.9), else with 7 x 7 of stride 2 and a max pool.
///
/// Throws UsageError for an unknown name, with the nearest one; for fewer than 2 classes; for
/// images of fewer pixels than 32 (VGG) or 8 (ResNet), of which nothing would be left.
[[nodiscard]] ClassifierDescription classifier(std::string_view name, std::int64_t channels,
                                               std::int64_t pixels, std::int64_t classes);

}  // namespace civitas::net
