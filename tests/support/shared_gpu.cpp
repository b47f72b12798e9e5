#include "support/shared_gpu.hpp"

#include "support/catch.hpp"

#include "support/gpu.hpp"

std::optional<c10::Device> civitas::test::shared_gpu() {
    if (!gpu_here("shared nets were")) return std::nullopt;
    return c10::Device(c10::kCUDA, 0);
}
