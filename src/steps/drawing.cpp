#include "civitas/steps/drawing.hpp"

#include <ATen/ops/cat.h>
#include <algorithm>

namespace civitas::steps {

at::Tensor draw_plans(const std::function<at::Tensor(const at::Tensor&)>& generator,
                      const tasks::LatentOptions& options, Range plans,
                      const at::TensorOptions& like, std::int64_t at_once) {
    std::vector<at::Tensor> images;
    for (std::int64_t i = plans.begin; i < plans.end(); i += at_once) {
        const std::int64_t count = std::min(at_once, plans.end() - i);
        images.push_back(generator(tasks::latent(options, 0, Sample{i}, count, like))
                             .to(at::TensorOptions().dtype(at::kFloat).device(at::kCPU)));
    }
    return at::cat(images).contiguous();
}

quality::ImageSet image_set(const at::Tensor& x_BCHW) {
    const at::Tensor x = x_BCHW.contiguous();
    const auto* values = x.const_data_ptr<float>();
    return {x.size(0), static_cast<int>(x.size(1)), x.size(2),
            std::vector<float>(values, values + x.numel())};
}

std::vector<report::SoftImage> soft_images(const at::Tensor& x_BCHW) {
    std::vector<report::SoftImage> images;
    for (const at::Tensor& image : x_BCHW.contiguous().unbind(0)) {
        const auto* values = image.const_data_ptr<float>();
        images.push_back({image.size(1), static_cast<int>(image.size(0)),
                          std::vector<float>(values, values + image.numel())});
    }
    return images;
}

}  // namespace civitas::steps
