#include "resnet.hpp"

#include "civitas/base/error.hpp"

namespace civitas::net {
namespace {

LayerDescription without_bias(const std::string& name, const ConvolutionGeometry& sizes) {
    ConvolutionGeometry g = sizes;
    g.deviation = fan_out_deviation(g.out, g.kernel);
    return {name, Convolution{g}};
}

LayerDescription norm_from_one(const std::string& name, std::int64_t channels) {
    return {name, BatchNorm{.channels = channels, .initial = Initializer::one}};
}

/// A block of a net, from `in` channels to those of its last convolution.
class BlockBuilder {
public:
    BlockBuilder(std::string name, std::int64_t in) : name_(std::move(name)), in_(in), out_(in) {}

    /// `stride`: 1 and 3 x 3, or 1 x 1, keep the pixels where it is 1.
    void add(std::int64_t out, std::int64_t kernel, std::int64_t stride) {
        if (count_ > 0) block_.body.push_back({text(name_, ".relu", count_), LeakyRelu{0}});
        ++count_;
        block_.body.push_back(without_bias(text(name_, ".conv", count_),
                                           {out_, out, kernel, stride, (kernel - 1) / 2}));
        block_.body.push_back(norm_from_one(text(name_, ".bn", count_), out));
        out_ = out;
        stride_ *= stride;
    }
    [[nodiscard]] LayerDescription made() && {
        if (stride_ != 1 || in_ != out_)
            block_.shortcut = {without_bias(name_ + ".downsample.0", {in_, out_, 1, stride_, 0}),
                               norm_from_one(name_ + ".downsample.1", out_)};
        return {std::move(name_), std::move(block_)};
    }

private:
    std::string name_;
    std::int64_t in_, out_;
    std::int64_t stride_ = 1;
    int count_ = 0;
    Residual block_;
};

LayerDescription block_of(ResidualBlock kind, std::string name, std::int64_t in, std::int64_t width,
                          std::int64_t stride) {
    BlockBuilder block(std::move(name), in);
    if (kind == ResidualBlock::basic) {
        block.add(width, 3, stride);
        block.add(width, 3, 1);
    } else {
        block.add(width, 1, 1);
        block.add(width, 3, stride);
        block.add(4 * width, 1, 1);
    }
    return std::move(block).made();
}

void add_stem(NetDescription& net, std::int64_t width, const ClassifierSizes& sizes) {
    constexpr std::int64_t most_of_small = 32;
    const bool small = sizes.pixels <= most_of_small;
    net.layers.push_back(
        without_bias("conv1", small ? ConvolutionGeometry{sizes.channels, width, 3, 1, 1}
                                    : ConvolutionGeometry{sizes.channels, width, 7, 2, 3}));
    net.layers.push_back(norm_from_one("bn1", width));
    net.layers.push_back({"relu", LeakyRelu{0}});
    if (!small) net.layers.push_back({"maxpool", MaxPool{3, 2, 1}});
}

}  // namespace

NetDescription resnet(const ResnetDepths& depths, const ClassifierSizes& sizes) {
    constexpr std::array<std::int64_t, 4> widths{64, 128, 256, 512};
    NetDescription net{"classifier", {sizes.channels, sizes.pixels, sizes.pixels}, {}};
    add_stem(net, widths[0], sizes);
    std::int64_t in = widths[0];
    for (std::size_t part = 0; part < widths.size(); ++part)
        for (int i = 0; i < depths.blocks[part]; ++i) {
            const std::int64_t stride = part > 0 && i == 0 ? 2 : 1;
            net.layers.push_back(
                block_of(depths.block, text("layer", part + 1, '.', i), in, widths[part], stride));
            in = depths.block == ResidualBlock::basic ? widths[part] : 4 * widths[part];
        }
    net.layers.push_back({"avgpool", AdaptiveAveragePool{1, 1}});
    net.layers.push_back({"fc", Linear{in, sizes.classes}});
    return net;
}

}  // namespace civitas::net
