#include "civitas/base/error.hpp"
#include "civitas/gpu/adam.hpp"
#include "civitas/gpu/augment.hpp"
#include "civitas/gpu/batch_norm.hpp"
#include "civitas/gpu/finite.hpp"
#include "civitas/gpu/graph.hpp"
#include "civitas/gpu/winograd.hpp"

namespace civitas::gpu {
namespace {

[[noreturn]] void refuse() {
    throw Error("this program was built without CUDA", Hint{"build the preset cuda"});
}

}  // namespace

void augment(const at::Tensor& /*drawn_BN*/, double /*noise*/, const at::Tensor& /*x_BCHW*/,
             const at::Tensor& /*y_BCHW*/) {
    refuse();
}

void augment_backward(const at::Tensor& /*drawn_BN*/, const at::Tensor& /*g_BCHW*/,
                      const at::Tensor& /*gx_BCHW*/) {
    refuse();
}

Moments batch_norm_forward(const at::Tensor& /*x*/, const Normalising& /*norm*/,
                           const at::Tensor& /*y*/) {
    refuse();
}

NormGradients batch_norm_backward(const at::Tensor& /*gy*/, const at::Tensor& /*x*/,
                                  const at::Tensor& /*mean_C*/,
                                  const at::Tensor& /*inverse_deviation_C*/,
                                  const Normalising& /*norm*/, const at::Tensor& /*gx*/) {
    refuse();
}

at::Tensor winograd_down(const at::Tensor& /*big*/, const at::Tensor& /*weight*/) { refuse(); }
at::Tensor winograd_up(const at::Tensor& /*small*/, const at::Tensor& /*weight*/) { refuse(); }
void winograd_weight_gradient(const at::Tensor& /*big*/, const at::Tensor& /*small*/,
                              const at::Tensor& /*leaf*/) {
    refuse();
}

void adam(const AdamArrays& /*arrays*/, const AdamScales& /*scales*/, double /*mean_decay*/) {
    refuse();
}

void spoil_unless_finite(const at::Tensor& /*values*/, const at::Tensor& /*number*/) { refuse(); }

MakeGraph graphs_of(at::Device /*gpu*/) { refuse(); }

struct OwnStream::Guard {};
OwnStream::OwnStream(at::Device /*gpu*/) { refuse(); }
OwnStream::~OwnStream() = default;

}  // namespace civitas::gpu
