#include "support/tensor.hpp"

#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/augment.hpp"

#include <ctime>

using namespace civitas;
using namespace civitas::tasks;
using schedule::PassId;

namespace {

const AugmentOptions options{Seed{3}, 0.2, 0.125};
const SampleRange visit{StepIndex{5}, schedule::gan::fake, Sample{40}};

/// What D sees of images in a visit.
at::Tensor seen(const AugmentOptions& how, const SampleRange& in, const at::Tensor& x_BCHW,
                at::ScalarType type) {
    const auto drawn = draw_augmentations(how, in, x_BCHW.size(0), x_BCHW.size(2));
    return augment(how, drawn, x_BCHW, type);
}

/// Seconds of computing so far: of this thread, or of all threads of the process.
double computed_s(clockid_t whose) {
    timespec now{};
    REQUIRE(clock_gettime(whose, &now) == 0);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

TEST_CASE("what D sees is the shifted image, padded with -1, plus noise") {
    const auto x = at::rand({4, 3, 16, 16});
    const auto shifted = seen({Seed{3}, 0, 0.125}, visit, x, at::kFloat);
    for (std::int64_t i = 0; i < 4; ++i) {
        const Shift by = shift_of(options, visit, i, 16);
        const auto padded = at::constant_pad_nd(x[i], {2, 2, 2, 2}, -1);
        const auto expected = padded.narrow(1, 2 - by.down, 16).narrow(2, 2 - by.right, 16);
        CHECK(shifted[i].equal(expected));
    }
    const auto noise = seen(options, visit, x, at::kFloat) - shifted;
    CHECK(noise.std().item<double>() == Approx(0.2).epsilon(0.05));
    CHECK(noise.mean().item<double>() == Approx(0).margin(0.02));
}

TEST_CASE("noise is that of the stream drawn, along columns, rows and channels") {
    for (const auto type : {at::kFloat, at::kBFloat16, at::kDouble}) {
        const auto x = at::rand({3, 2, 70, 52}).to(type);
        const auto drawn = draw_augmentations(options, visit, 3, 70);
        const auto shifted = seen({Seed{3}, 0, 0.125}, visit, x, at::kDouble);
        at::Tensor noise = at::empty({3, 2, 70, 52});
        for (std::int64_t i = 0; i < 3; ++i) {
            Block words{};
            for (std::size_t k = 0; k < words.size(); ++k)
                words[k] = static_cast<std::uint32_t>(
                    drawn[i][static_cast<std::int64_t>(k) + 2].item<double>());
            RandomStream(words).fast_normals(0, {noise[i].mutable_data_ptr<float>(), 2 * 70 * 52});
        }
        const auto expected = shifted + 0.2 * noise.to(at::kDouble);
        const double tolerance = type == at::kBFloat16 ? 8e-3 : 1e-6;
        CHECK(
            seen(options, visit, x, type).to(at::kDouble).allclose(expected, tolerance, tolerance));
    }
}

TEST_CASE("all threads share the work of making noise, and make the bits of one") {
    const auto x = at::rand({64, 3, 64, 64});
    at::set_num_threads(1);
    const auto alone = seen(options, visit, x, at::kFloat);
    at::set_num_threads(3);
    const double thread = computed_s(CLOCK_THREAD_CPUTIME_ID);
    const double process = computed_s(CLOCK_PROCESS_CPUTIME_ID);
    CHECK(seen(options, visit, x, at::kFloat).equal(alone));
    const double by_this = computed_s(CLOCK_THREAD_CPUTIME_ID) - thread;
    CHECK(by_this < 0.8 * (computed_s(CLOCK_PROCESS_CPUTIME_ID) - process));
    at::set_num_threads(1);
}

TEST_CASE("shifts cover the whole range and belong to sample, step and pass") {
    std::set<std::int64_t> down;
    for (std::int64_t i = 0; i < 200; ++i) down.insert(shift_of(options, visit, i, 16).down);
    CHECK(down == std::set<std::int64_t>{-2, -1, 0, 1, 2});
    const SampleRange later{StepIndex{5}, schedule::gan::fake, Sample{41}};
    CHECK(shift_of(options, visit, 1, 64).down == shift_of(options, later, 0, 64).down);
    const auto x = at::zeros({1, 1, 16, 16});
    const auto other_pass =
        seen(options, {StepIndex{5}, schedule::gan::d_generate, Sample{40}}, x, at::kFloat);
    const auto other_step =
        seen(options, {StepIndex{6}, schedule::gan::fake, Sample{40}}, x, at::kFloat);
    CHECK_FALSE(seen(options, visit, x, at::kFloat).equal(other_pass));
    CHECK_FALSE(seen(options, visit, x, at::kFloat).equal(other_step));
}

TEST_CASE("the gradient goes back the way the image came") {
    const auto x = at::rand({3, 3, 16, 16}, at::kDouble);
    const auto g = at::rand({3, 3, 16, 16}, at::kDouble);
    const AugmentOptions still{Seed{3}, 0, 0.125};
    // Shifting without padding is linear, with this transpose: <g, S x> = <S^T g, x>.
    const auto padding = seen(still, visit, at::zeros_like(x), at::kDouble);
    const auto forward = (g * (seen(still, visit, x, at::kDouble) - padding)).sum();
    const auto backward =
        (augment_backward(still, draw_augmentations(still, visit, 3, 16), g) * x).sum();
    CHECK(forward.item<double>() == Approx(backward.item<double>()).epsilon(1e-12));
}

TEST_CASE("a latent depends on its sample alone") {
    const LatentOptions z{Seed{1}, Purpose::latent, 10};
    const auto many = latent(z, 7, Sample{100}, 8, at::kFloat);
    const auto one = latent(z, 7, Sample{103}, 1, at::kFloat);
    CHECK(many.sizes() == at::IntArrayRef{8, 10, 1, 1});
    CHECK(many[3].equal(one[0]));
    CHECK_FALSE(latent(z, 8, Sample{103}, 1, at::kFloat).equal(one));
}
