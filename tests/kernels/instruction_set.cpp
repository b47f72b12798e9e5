#include "support/tensor.hpp"

#include "civitas/kernels/instruction_set.hpp"

#include <ATen/Version.h>
#include <cstdlib>
#include <string>

using civitas::kernels::instruction_set;
using civitas::kernels::InstructionSet;

TEST_CASE("the instruction set is the one that ATen computes with where nothing caps ATen") {
    if (std::getenv("ATEN_CPU_CAPABILITY") != nullptr) return;
    const std::string aten = at::get_cpu_capability();
    CHECK((instruction_set() >= InstructionSet::avx512) == (aten == "AVX512"));
    CHECK((instruction_set() >= InstructionSet::avx2) == (aten != "DEFAULT" && aten != "NO AVX"));
}
