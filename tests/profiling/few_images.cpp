#include "civitas/profiling/few_images.hpp"

#include "civitas/net/classifiers.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::profiling;
using planner::LayerTimes;

namespace {

/// Of images of so many pixels a side.
net::NetDescription norm_of(std::int64_t side) {
    return {"normed", {4, side, side}, {{"norm", net::BatchNorm{4}}}};
}

}  // namespace

TEST_CASE("one image can be trained with, but where a batch norm has a pixel of each") {
    CHECK(fewest_images(norm_of(2)) == 1);
    CHECK(fewest_images(norm_of(1)) == 2);
    net::NetDescription blocks{"blocks", {4, 1, 1}, {}};
    blocks.layers.push_back({"linear", net::Linear{4, 4}});
    CHECK(fewest_images(blocks) == 1);
    blocks.layers.push_back({"block", net::Residual{norm_of(1).layers, {}}});
    CHECK(fewest_images(blocks) == 2);
}

TEST_CASE("rounds tell of more images where they are long, and longer by their images") {
    CHECK(tell_of_more(0.06, 0.1, 0.05));
    CHECK(!tell_of_more(0.06, 0.1, 0.2));
    CHECK(!tell_of_more(0.09, 0.1, 0.05));
    CHECK(!tell_of_more(0, 0, 0.05));
}

TEST_CASE("a layer takes so much for its weights and so much for each image") {
    const TimedImages images{2, 4, 8};
    const LayerTimes whole = times_of_micro_batch({5 + 2, 3, 1}, {5 + 4, 6, 1}, images);
    CHECK(whole.forward_s == Approx(5 + 8));
    CHECK(whole.backward_input_s == Approx(12));
    CHECK(whole.backward_weights_s == Approx(1));
}

TEST_CASE("of disturbed times more images take no less, and the weights no less than nothing") {
    const TimedImages images{1, 2, 8};
    const LayerTimes whole = times_of_micro_batch({3, 0.5, 0}, {2, 2, 0}, images);
    CHECK(whole.forward_s == Approx(2));
    CHECK(whole.backward_input_s == Approx(8));
    CHECK(whole.backward_weights_s == Approx(0));
}
