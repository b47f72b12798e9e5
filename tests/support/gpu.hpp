#pragma once
#include <ATen/Context.h>
#include <cstdlib>
#include <iostream>

namespace civitas::test {

/// False where a test compares with no GPU, which is said aloud; CIVITAS_NEEDS_GPU makes that a
/// failure. Include after Catch2.
inline bool gpu_here(const char* what) {
    if (at::globalContext().hasCUDA()) return true;
    if (std::getenv("CIVITAS_NEEDS_GPU") != nullptr) FAIL("libtorch finds no GPU");
    std::cout << "no GPU here: " << what << " compared on none\n";
    return false;
}

}  // namespace civitas::test
