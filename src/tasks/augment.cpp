#include "civitas/tasks/augment.hpp"

#include "civitas/gpu/augment.hpp"
#include "civitas/kernels/augment.hpp"
#include "civitas/schedule/gan.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <cmath>

namespace civitas::tasks {
namespace {

/// The numbers that shifts and noise of D's passes are keyed by: part of the arithmetic of every
/// run there has been.
std::uint64_t key_of(schedule::PassId pass) {
    if (pass == schedule::gan::real) return 0;
    return pass == schedule::gan::fake ? 1 : 2;
}

std::uint64_t sample_key(const SampleRange& visit, std::int64_t image) {
    const auto sample = static_cast<std::uint64_t>(index(visit.first) + image);
    return sample * 4 + key_of(visit.pass);
}

RandomStream stream(const AugmentOptions& o, Purpose purpose, const SampleRange& visit,
                    std::int64_t image) {
    return {o.seed,
            purpose,
            {.major = static_cast<std::uint64_t>(index(visit.step)),
             .minor = sample_key(visit, image)}};
}

/// The part of one dim that stays in the picture after moving by `by`.
struct Overlap {
    std::int64_t from, to, count;
};
Overlap overlap(std::int64_t side, std::int64_t by) {
    return {std::max<std::int64_t>(-by, 0), std::max<std::int64_t>(by, 0), side - std::abs(by)};
}

void copy_moved(const at::Tensor& from_CHW, const at::Tensor& to_CHW, Shift by) {
    const Overlap v = overlap(from_CHW.size(1), by.down);
    const Overlap h = overlap(from_CHW.size(2), by.right);
    to_CHW.narrow(1, v.to, v.count)
        .narrow(2, h.to, h.count)
        .copy_(from_CHW.narrow(1, v.from, v.count).narrow(2, h.from, h.count));
}

double* row_of(const at::Tensor& drawn_B6, std::int64_t image) {
    return drawn_B6.mutable_data_ptr<double>() + image * drawn_B6.stride(0);
}

Shift drawn_shift(const at::Tensor& drawn_B6, std::int64_t image) {
    const double* const row = row_of(drawn_B6, image);
    return {static_cast<std::int64_t>(row[0]), static_cast<std::int64_t>(row[1])};
}

}  // namespace

Shift shift_of(const AugmentOptions& o, const SampleRange& visit, std::int64_t image,
               std::int64_t side) {
    const auto most = static_cast<std::int64_t>(o.translate * static_cast<double>(side));
    const RandomStream s = stream(o, Purpose::translation, visit, image);
    const auto range = static_cast<std::uint64_t>(2 * most + 1);
    return {static_cast<std::int64_t>(s.below(range, 0)) - most,
            static_cast<std::int64_t>(s.below(range, 1)) - most};
}

at::Tensor draw_augmentations(const AugmentOptions& o, const SampleRange& visit, std::int64_t count,
                              std::int64_t side) {
    at::Tensor drawn_B6 = at::zeros({count, augment_draws}, at::kDouble);
    for (std::int64_t i = 0; i < count; ++i) {
        const Shift by = o.translate > 0 ? shift_of(o, visit, i, side) : Shift{};
        const Block words = stream(o, Purpose::instance_noise, visit, i).words();
        double* const row = row_of(drawn_B6, i);
        row[0] = static_cast<double>(by.down);
        row[1] = static_cast<double>(by.right);
        std::copy(words.begin(), words.end(), row + 2);
    }
    return drawn_B6;
}

at::Tensor augment(const AugmentOptions& o, const at::Tensor& drawn_B6, const at::Tensor& x_BCHW,
                   at::ScalarType type) {
    const auto as_images =
        at::TensorOptions().dtype(type).memory_format(at::MemoryFormat::ChannelsLast);
    const auto working = type == at::kDouble ? at::kDouble : at::kFloat;
    const bool as_given = o.noise <= 0 && o.translate <= 0;
    // The planner counts on it that only what is given in the type of the weights is not copied.
    if (x_BCHW.is_cpu() && as_given) return x_BCHW.to(working).to(as_images);
    at::Tensor y_BCHW = at::empty(x_BCHW.sizes(), x_BCHW.options().merge_in(as_images));
    if (!x_BCHW.is_cpu()) {
        gpu::augment(drawn_B6, o.noise, x_BCHW, y_BCHW);
        return y_BCHW;
    }
    const bool same = x_BCHW.scalar_type() == type;
    kernels::augment(drawn_B6, o.noise, same ? x_BCHW : x_BCHW.to(working), y_BCHW);
    return y_BCHW;
}

at::Tensor augment_backward(const AugmentOptions& o, const at::Tensor& drawn_B6,
                            const at::Tensor& g_BCHW) {
    if (o.translate <= 0) return g_BCHW;
    if (!g_BCHW.is_cpu()) {
        at::Tensor gx_BCHW = at::empty_like(g_BCHW);
        gpu::augment_backward(drawn_B6, g_BCHW, gx_BCHW);
        return gx_BCHW;
    }
    at::Tensor gx = at::zeros_like(g_BCHW);
    for (std::int64_t i = 0; i < gx.size(0); ++i) {
        const Shift by = drawn_shift(drawn_B6, i);
        copy_moved(g_BCHW[i], gx[i], {-by.down, -by.right});
    }
    return gx;
}

LatentOptions plan_latents(Seed seed, std::int64_t nz) { return {seed, Purpose::plan, nz}; }

ConditionOfSample as_training_tiles(const conditions::Conditions& conditions, Seed seed) {
    if (conditions.kind() == ConditionKind::none) return {};
    return [&conditions, seed](Sample plan) {
        return conditions.numbers(
            conditions.wish_of(seed, static_cast<std::uint64_t>(index(plan))));
    };
}

at::Tensor conditions_of(const ConditionOfSample& condition, Sample first, std::int64_t count) {
    at::Tensor c_BK;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::vector<double> numbers = condition(Sample{index(first) + i});
        if (i == 0) c_BK = at::empty({count, std::ssize(numbers)}, at::kDouble);
        std::copy(numbers.begin(), numbers.end(), c_BK[i].mutable_data_ptr<double>());
    }
    return c_BK;
}

at::Tensor latent(const LatentOptions& o, std::uint64_t major, Sample first, std::int64_t count,
                  const at::TensorOptions& like) {
    const at::Tensor z_BC11 = at::empty({count, o.nz, 1, 1}, at::kDouble);
    const auto nz = static_cast<std::size_t>(o.nz);
    for (std::int64_t i = 0; i < count; ++i)
        RandomStream(o.seed, o.purpose,
                     {.major = major, .minor = static_cast<std::uint64_t>(index(first) + i)})
            .normals(0, {z_BC11[i].data_ptr<double>(), nz});
    if (!o.condition) return z_BC11.to(like);
    const at::Tensor c_BK = conditions_of(o.condition, first, count);
    return at::cat({z_BC11, c_BK.view({count, c_BK.size(1), 1, 1})}, 1).to(like);
}

}  // namespace civitas::tasks
