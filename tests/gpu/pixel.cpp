#include "support/tensor.hpp"

// What a GPU computes for a pixel, compiled for a CPU: no GPU is needed.
#include "gpu/pixel.hpp"

#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/augment.hpp"

#include <c10/util/BFloat16.h>

using namespace civitas;
using namespace civitas::gpu;

namespace {

const tasks::AugmentOptions options{Seed{7}, 0.2, 0.125};

at::Tensor draws_for(const at::Tensor& x_BCHW) {
    const tasks::SampleRange visit{StepIndex{3}, schedule::gan::fake,
                                   Sample{std::int64_t{1} << 34}};
    return draw_augmentations(options, visit, x_BCHW.size(0), x_BCHW.size(2));
}

Images images_of(const at::Tensor& x) {
    return {x.data_ptr(),
            Number::fp32,
            {x.size(0), x.size(1), x.size(2), x.size(3)},
            {x.stride(0), x.stride(1), x.stride(2), x.stride(3)}};
}

Drawn rows_of(const at::Tensor& drawn) { return {drawn.const_data_ptr<double>(), drawn.stride(0)}; }

template <class From, class To>
at::Tensor augmented(const at::Tensor& x, const at::Tensor& drawn, double noise) {
    const at::Tensor y = at::empty_like(x, at::TensorOptions(c10::CppTypeToScalarType<To>::value)
                                               .memory_format(at::MemoryFormat::ChannelsLast));
    using Pixel = AugmentPixel<From, To>;
    const Pixel pixel{ImagesOf<const From>(images_of(x)), ImagesOf<To>(images_of(y)),
                      rows_of(drawn), static_cast<typename Pixel::Working>(noise)};
    for (std::int64_t i = 0; i < y.numel(); ++i) pixel(i);
    return y;
}

template <class From, class To>
void compare() {
    const auto x = (at::rand({5, 3, 24, 16}) * 2 - 1)
                       .to(c10::CppTypeToScalarType<From>::value)
                       .contiguous(at::MemoryFormat::ChannelsLast);
    const auto drawn = draws_for(x);
    for (const double noise : {0.0, options.noise}) {
        const tasks::AugmentOptions like{options.seed, noise, options.translate};
        const at::Tensor expected = augment(like, drawn, x, c10::CppTypeToScalarType<To>::value);
        const at::Tensor found = augmented<From, To>(x, drawn, noise);
        const at::Tensor apart = (found.to(at::kDouble) - expected.to(at::kDouble)).abs().max();
        const double rounding = noise == 0                          ? 0
                                : std::is_same_v<To, double>        ? 1e-9
                                : std::is_same_v<To, c10::BFloat16> ? 1e-2
                                                                    : 3e-7;
        CHECK(apart.item<double>() <= rounding);
    }
}

}  // namespace

TEST_CASE("a GPU's pixels are a CPU's: shifted, padded, with the same noise, up to one rounding") {
    at::manual_seed(1);
    compare<float, float>();
    compare<float, c10::BFloat16>();
    compare<c10::BFloat16, c10::BFloat16>();
    compare<float, double>();
    compare<double, double>();
}

TEST_CASE("whatever the strides of the images are") {
    at::manual_seed(2);
    const auto x = at::rand({4, 3, 16, 16});
    const auto drawn = draws_for(x);
    CHECK(augmented<float, float>(x, drawn, 0.2)
              .equal(augmented<float, float>(x.contiguous(at::MemoryFormat::ChannelsLast), drawn,
                                             0.2)));
    const auto rows = at::rand({8, 3, 16, 16});
    const auto every_second = rows.slice(0, 0, 8, 2);
    CHECK(augmented<float, float>(every_second, drawn, 0)
              .equal(augmented<float, float>(every_second.contiguous(), drawn, 0)));
}

TEST_CASE("the gradient of a GPU's pixels is a CPU's") {
    at::manual_seed(3);
    const auto g = at::randn({6, 3, 16, 16}).contiguous(at::MemoryFormat::ChannelsLast);
    const auto drawn = draws_for(g);
    const auto gx = at::empty_like(g);
    const AugmentBackwardPixel<float> pixel{ImagesOf<const float>(images_of(g)),
                                            ImagesOf<float>(images_of(gx)), rows_of(drawn)};
    for (std::int64_t i = 0; i < gx.numel(); ++i) pixel(i);
    CHECK(gx.equal(augment_backward(options, drawn, g)));
    CHECK_FALSE(gx.equal(g));
}

TEST_CASE("the noise of an image is its stream's, element by element") {
    const Block words{1, 4294967295U, 77, 3};
    const RandomStream stream(words);
    const std::array<double, 4> as_drawn{1, 4294967295.0, 77, 3};
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1} << 33}) {
        std::vector<float> expected(41);
        stream.fast_normals(first, expected);
        for (std::size_t i = 0; i < expected.size(); ++i)
            CHECK(fast_normal(as_drawn.data(), first + i) == expected[i]);
    }
}
