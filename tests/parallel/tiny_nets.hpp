#pragma once
/// Nets of a GAN with every kind of layer that has weights, small enough for anything.
#include "civitas/net/description.hpp"

namespace civitas::test {

inline net::NetDescription tiny_generator() {
    return {"generator",
            {4, 1, 1},
            {{"deconv0", net::TransposedConvolution{{4, 6, 4, 1, 0}}},
             {"norm0", net::BatchNorm{6}},
             {"relu0", net::LeakyRelu{0.0}},
             {"deconv1", net::TransposedConvolution{{6, 3, 4, 2, 1}}},
             {"tanh", net::Tanh{}}}};
}

inline net::NetDescription tiny_discriminator() {
    return {"discriminator",
            {3, 8, 8},
            {{"conv0", net::Convolution{{3, 5, 4, 2, 1}}},
             {"relu0", net::LeakyRelu{0.2}},
             {"conv1", net::Convolution{{5, 6, 4, 2, 1}}},
             {"norm1", net::BatchNorm{6}},
             {"relu1", net::LeakyRelu{0.2}},
             {"conv2", net::Convolution{{6, 1, 2, 1, 0}}}}};
}

}  // namespace civitas::test
