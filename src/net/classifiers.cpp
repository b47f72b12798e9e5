#include "civitas/net/classifiers.hpp"

#include "resnet.hpp"
#include "vgg.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/names.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <array>

namespace civitas::net {
namespace {

/// A net that is known by name.
struct KnownClassifier {
    const char* name;
    std::int64_t least_pixels;
    NetDescription (*make)(const ClassifierSizes& sizes);
};

NetDescription vgg_11(const ClassifierSizes& sizes) { return vgg({{1, 1, 2, 2, 2}}, sizes); }
NetDescription vgg_16(const ClassifierSizes& sizes) { return vgg({{2, 2, 3, 3, 3}}, sizes); }
NetDescription resnet_18(const ClassifierSizes& sizes) {
    return resnet({ResidualBlock::basic, {2, 2, 2, 2}}, sizes);
}
NetDescription resnet_50(const ClassifierSizes& sizes) {
    return resnet({ResidualBlock::bottleneck, {3, 4, 6, 3}}, sizes);
}

constexpr std::array<KnownClassifier, 4> known_classifiers{
    {{"vgg-11", least_pixels_of_vgg, vgg_11},
     {"vgg-16", least_pixels_of_vgg, vgg_16},
     {"resnet-18", least_pixels_of_resnet, resnet_18},
     {"resnet-50", least_pixels_of_resnet, resnet_50}}};

const KnownClassifier& known_classifier(std::string_view name) {
    for (const KnownClassifier& known : known_classifiers)
        if (name == known.name) return known;
    const auto names = classifier_names();
    const auto guess = nearest(name, names);
    const std::string all = join(names, ", ");
    throw UsageError(
        text("unknown classifier '", name, "'"),
        Hint{guess ? text("did you mean ", *guess, "? Known are ", all) : text("known are ", all)});
}

}  // namespace

std::vector<std::string> classifier_names() {
    std::vector<std::string> names;
    for (const KnownClassifier& known : known_classifiers) names.emplace_back(known.name);
    return names;
}

ClassifierDescription classifier(std::string_view name, std::int64_t channels, std::int64_t pixels,
                                 std::int64_t classes) {
    const KnownClassifier& known = known_classifier(name);
    if (pixels < known.least_pixels)
        throw UsageError(text(name, " on images of ", pixels, " x ", pixels, " pixels: it needs ",
                              known.least_pixels, " x ", known.least_pixels),
                         Hint{"larger images, or another net"});
    if (classes < 2)
        throw UsageError(text(name, " with ", classes, " classes: it needs 2 to tell apart"),
                         Hint{"data of more classes, or --classes of at least 2"});
    return {known.name, pixels, classes, known.make({channels, pixels, classes})};
}

}  // namespace civitas::net
