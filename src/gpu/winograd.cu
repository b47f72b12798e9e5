#include "winograd_kernels.hpp"

#include "launch_each.cuh"

namespace civitas::gpu::winograd {

template <class Step>
void launch(std::int64_t count, const Step& step, Stream stream) {
    launch_each(count, step, stream);
}

template void launch(std::int64_t, const MappedPatches<OfData<2>, float>&, Stream);
template void launch(std::int64_t, const MappedPatches<OfData<2>, Two>&, Stream);
template void launch(std::int64_t, const MappedPatches<OfData<4>, float>&, Stream);
template void launch(std::int64_t, const MappedPatches<OfData<4>, Two>&, Stream);
template void launch(std::int64_t, const MappedPatches<OfErrors<2>, float>&, Stream);
template void launch(std::int64_t, const MappedPatches<OfErrors<2>, Two>&, Stream);
template void launch(std::int64_t, const MappedPatches<OfErrors<4>, float>&, Stream);
template void launch(std::int64_t, const MappedPatches<OfErrors<4>, Two>&, Stream);
template void launch(std::int64_t, const ResultPixels<2, float>&, Stream);
template void launch(std::int64_t, const ResultPixels<2, Two>&, Stream);
template void launch(std::int64_t, const ResultPixels<4, float>&, Stream);
template void launch(std::int64_t, const ResultPixels<4, Two>&, Stream);
template void launch(std::int64_t, const MappedWeights<2>&, Stream);
template void launch(std::int64_t, const MappedWeights<4>&, Stream);
template void launch(std::int64_t, const GradientOfWeights<2>&, Stream);
template void launch(std::int64_t, const GradientOfWeights<4>&, Stream);

}  // namespace civitas::gpu::winograd
