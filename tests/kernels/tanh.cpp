#include "support/tensor.hpp"

#include "civitas/kernels/tanh.hpp"

using namespace civitas;

TEST_CASE("tanh is that of double within the rounding of its type, for large and small numbers") {
    torch::manual_seed(3);
    for (const double size : {1e-6, 1e-2, 1.0, 4.0, 100.0}) {
        const auto exact = torch::randn({3, 3, 37, 21}, at::kDouble) * size;
        for (const auto type : {at::kFloat, at::kBFloat16}) {
            const auto x = exact.to(type).contiguous(at::MemoryFormat::ChannelsLast);
            const auto y = kernels::tanh(x);
            const auto truth = at::tanh(x.to(at::kDouble));
            const double apart = ((y.to(at::kDouble) - truth) / truth).abs().max().item<double>();
            INFO("size " << size << ' ' << x.dtype());
            CHECK(apart < (type == at::kFloat ? 5e-7 : 4e-3));
            CHECK(y.abs().max().item<float>() <= 1);
            CHECK(y.is_contiguous(at::MemoryFormat::ChannelsLast));
        }
    }
}

TEST_CASE("tanh has the same bits on any number of threads, and hands NaN and signs on") {
    torch::manual_seed(4);
    const auto x = torch::randn({300001});
    const auto one = kernels::tanh(x);
    at::set_num_threads(3);
    CHECK(torch::equal(kernels::tanh(x), one));
    at::set_num_threads(1);
    const auto special = kernels::tanh(torch::tensor({NAN, INFINITY, -INFINITY, 0.F}));
    CHECK(special[0].isnan().item<bool>());
    CHECK(torch::equal(special.slice(0, 1), torch::tensor({1.F, -1.F, 0.F})));
}
