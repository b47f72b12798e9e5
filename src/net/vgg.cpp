#include "vgg.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::net {
namespace {

/// Numbers the layers of a torch.nn.Sequential.
class Sequential {
public:
    Sequential(NetDescription& net, const char* name) : net_(net), name_(name) {}
    void add(LayerKind kind) {
        net_.layers.push_back({text(name_, '.', count_++), std::move(kind)});
    }

private:
    NetDescription& net_;
    const char* name_;
    int count_ = 0;
};

Convolution with_bias(std::int64_t in, std::int64_t out) {
    return {{in, out, 3, 1, 1, true, fan_out_deviation(out, 3)}};
}

}  // namespace

NetDescription vgg(const VggDepths& depths, const ClassifierSizes& sizes) {
    constexpr std::array<std::int64_t, 5> widths{64, 128, 256, 512, 512};
    constexpr std::int64_t most_of_head = 7;
    constexpr std::int64_t hidden = 4096;
    NetDescription net{"classifier", {sizes.channels, sizes.pixels, sizes.pixels}, {}};
    Sequential features(net, "features");
    std::int64_t in = sizes.channels;
    for (std::size_t part = 0; part < widths.size(); ++part) {
        for (int i = 0; i < depths.convolutions[part]; ++i) {
            features.add(with_bias(in, widths[part]));
            features.add(LeakyRelu{0});
            in = widths[part];
        }
        features.add(MaxPool{2, 2, 0});
    }
    const std::int64_t side = std::min(most_of_head, sizes.pixels / least_pixels_of_vgg);
    net.layers.push_back({"avgpool", AdaptiveAveragePool{side, side}});
    Sequential head(net, "classifier");
    for (const std::int64_t values : {in * side * side, hidden}) {
        head.add(Linear{values, hidden});
        head.add(LeakyRelu{0});
        head.add(Dropout{0.5});
    }
    head.add(Linear{hidden, sizes.classes});
    return net;
}

}  // namespace civitas::net
