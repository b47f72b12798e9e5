#include "support/shared_gpu.hpp"

std::optional<c10::Device> civitas::test::shared_gpu() { return c10::kCPU; }
