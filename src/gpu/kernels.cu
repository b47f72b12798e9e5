#include "kernels.hpp"

#include "launch_each.cuh"
#include "pixel.hpp"

namespace civitas::gpu {
namespace {

/// Calls `work` with a value of the type.
template <class Work>
void with_type(Number type, const Work& work) {
    switch (type) {
        case Number::fp32: return work(float{});
        case Number::fp64: return work(double{});
        case Number::bf16: return work(c10::BFloat16{});
    }
}

template <class Program>
__global__ void __launch_bounds__(threads_of_block, Program::at_once) run_block(Program program) {
    __shared__ typename Program::Shared shared;
    program({static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y)}, shared);
}

template <class Pass>
void run(const Pass& pass, Stream stream) {
    pass.run([stream](const Chunks& chunks, const auto& program) {
        const dim3 blocks(static_cast<unsigned>(chunks.tiles()),
                          static_cast<unsigned>(chunks.count));
        run_block<<<blocks, threads_of_block, 0, stream>>>(program);
        require_launched();
    });
}

}  // namespace

void launch(const NormForward<float>& norm, Stream stream) { run(norm, stream); }
void launch(const NormForward<c10::BFloat16>& norm, Stream stream) { run(norm, stream); }
void launch(const NormBackward<float>& norm, Stream stream) { run(norm, stream); }
void launch(const NormBackward<c10::BFloat16>& norm, Stream stream) { run(norm, stream); }
void launch(const AdamUpdate& update, Stream stream) {
    update.run(
        [stream](std::int64_t count, const auto& step) { launch_each(count, step, stream); });
}

void launch(const FiniteStep<float>& step, Stream stream) {
    launch_each(step.steps(), step, stream);
}
void launch(const FiniteStep<double>& step, Stream stream) {
    launch_each(step.steps(), step, stream);
}

void launch_augment(const Images& x, const Images& y, const Drawn& drawn, double noise,
                    Stream stream) {
    with_type(x.type, [&](auto from) {
        with_type(y.type, [&](auto to) {
            using From = decltype(from);
            using Pixel = AugmentPixel<From, decltype(to)>;
            launch_each(y.sizes.elements(),
                        Pixel{ImagesOf<const From>(x), ImagesOf<decltype(to)>(y), drawn,
                              static_cast<typename Pixel::Working>(noise)},
                        stream);
        });
    });
}

void launch_augment_backward(const Images& g, const Images& gx, const Drawn& drawn, Stream stream) {
    with_type(g.type, [&](auto number) {
        using T = decltype(number);
        launch_each(gx.sizes.elements(),
                    AugmentBackwardPixel<T>{ImagesOf<const T>(g), ImagesOf<T>(gx), drawn}, stream);
    });
}

}  // namespace civitas::gpu
