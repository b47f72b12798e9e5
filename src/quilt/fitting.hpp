#pragma once
/// Which image fits what is there.
#include "civitas/base/symmetry.hpp"
#include "civitas/quilt/quilt.hpp"

namespace civitas::quilt {

/// An image as it is laid.
struct Choice {
    std::int64_t image = 0;
    Symmetry symmetry{};
    std::int64_t error = 0;  ///< sum of squared differences where it is compared
};

/// Sums over pixels of one channel.
struct Moments {
    std::int64_t count = 0, sum = 0, squares = 0;
    void add(std::int64_t value);
    /// Sum of squared deviations from the mean.
    [[nodiscard]] double variation() const;
};

/// Pixels of a square that are compared, and what lies there.
struct Target {
    std::vector<std::int64_t> pixels;  ///< y x side + x
    std::vector<std::uint8_t> values;  ///< channel by channel, in the order of the pixels
};

/// Looks through images in all symmetries for the one whose squared differences are least beside
/// the variation of both, the image's and the target's: by the differences alone empty ground would
/// be chosen too often, since it is nowhere far from anything.
class Fitting {
public:
    /// `images` outlive it.
    explicit Fitting(const Images& images);
    /// The best of the images that are not used; from now on it is. Precondition: one is left.
    [[nodiscard]] Choice take(const Target& target);
    /// The first image as it is; from now on it is used.
    [[nodiscard]] Choice take_first();

private:
    struct Fit {
        std::int64_t error = 0;
        double variation = 0;  ///< of the image
    };
    [[nodiscard]] Fit fit_of(std::int64_t image, const std::vector<std::int64_t>& cells,
                             const Target& target) const;

    const Images& images_;
    std::vector<bool> used_;
};

}  // namespace civitas::quilt
