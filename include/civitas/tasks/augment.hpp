#pragma once
/// What D sees of an image: shifted by up to a share of its side (padded with -1), with constant
/// noise on top. Both are drawn by formula per sample and visit, so they belong to the sample, not
/// to the rank that computes it.
#include "civitas/conditions/conditions.hpp"
#include "civitas/random/stream.hpp"
#include "civitas/tasks/sample_range.hpp"

#include <ATen/core/Tensor.h>
#include <functional>
#include <vector>

namespace civitas::tasks {

struct AugmentOptions {
    Seed seed{};
    double noise = 0.2;        ///< sigma
    double translate = 0.125;  ///< share of the side
};

/// Displacement of one sample's image, pixels.
struct Shift {
    std::int64_t down = 0;
    std::int64_t right = 0;
};
[[nodiscard]] Shift shift_of(const AugmentOptions& options, const SampleRange& visit,
                             std::int64_t image, std::int64_t side);

/// Numbers that are drawn for an image: pixels that it moves down and to the right, and the words
/// of the stream that its noise comes from (see RandomStream::words).
inline constexpr std::int64_t augment_draws = 6;

/// Draws a row of doubles (B,6) for each of samples visit.first, visit.first + 1, ..., B = count,
/// whose images have this side. On the CPU.
[[nodiscard]] at::Tensor draw_augmentations(const AugmentOptions& options, const SampleRange& visit,
                                            std::int64_t count, std::int64_t side);
/// Shifts images and adds noise, by what has been drawn for them: x (B,C,H,W) of any type -> the
/// same shape, in `type`; computed in doubles where that is their type, else in fp32. On a GPU what
/// has been drawn lies there, too.
[[nodiscard]] at::Tensor augment(const AugmentOptions& options, const at::Tensor& drawn_B6,
                                 const at::Tensor& x_BCHW, at::ScalarType type);
/// Returns the gradient of x, given that of augment(x), in its shape (B,C,H,W).
[[nodiscard]] at::Tensor augment_backward(const AugmentOptions& options, const at::Tensor& drawn_B6,
                                          const at::Tensor& g_BCHW);

/// The K numbers by which nets are told what a sample is asked to be like.
using ConditionOfSample = std::function<std::vector<double>(Sample)>;

/// What latents are drawn by.
struct LatentOptions {
    Seed seed{};
    Purpose purpose = Purpose::latent;
    std::int64_t nz = 100;
    ConditionOfSample condition = {};  ///< none: nothing is asked
};
/// How the noise of generated plans is drawn: that of plan i is sample i of major 0.
[[nodiscard]] LatentOptions plan_latents(Seed seed, std::int64_t nz);
/// What plans are asked to be like where nobody says, by their number; none where nothing is asked.
/// The conditions must outlive it.
[[nodiscard]] ConditionOfSample as_training_tiles(const conditions::Conditions& conditions,
                                                  Seed seed);
/// The conditions c (B,K) of samples first, first + 1, ..., B = count, in doubles. Precondition:
/// there is one.
[[nodiscard]] at::Tensor conditions_of(const ConditionOfSample& condition, Sample first,
                                       std::int64_t count);
/// Draws z (B,nz+K,1,1) of samples first, first + 1, ..., B = count: standard normals by formula,
/// drawn on the CPU, behind them what is asked; then moved to the type and device of `like`.
[[nodiscard]] at::Tensor latent(const LatentOptions& options, std::uint64_t major, Sample first,
                                std::int64_t count, const at::TensorOptions& like);

}  // namespace civitas::tasks
