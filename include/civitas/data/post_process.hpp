#pragma once
/// From what a generator draws to what is stored of it.
#include "civitas/data/road_gaps.hpp"
#include "civitas/data/smooth.hpp"

namespace civitas::data {

/// The plan x (C,H,W), on a scale of so many pixels to a tile, with smooth outlines, and then with
/// its roads joined.
[[nodiscard]] inline at::Tensor post_processed(const at::Tensor& image_CHW, Coding coding,
                                               std::int64_t pixels_of_tile) {
    return with_closed_gaps(smoothed(image_CHW, coding, pixels_of_tile), coding, pixels_of_tile);
}
/// The same of a plan of one tile.
[[nodiscard]] inline at::Tensor post_processed(const at::Tensor& image_CHW, Coding coding) {
    return post_processed(image_CHW, coding, image_CHW.size(1));
}

}  // namespace civitas::data
