#include "support/tensor.hpp"

#include "civitas/simd/instruction_set.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>

using civitas::simd::instruction_set;
using civitas::simd::InstructionSet;

TEST_CASE("the instruction set is the one that ATen computes with where nothing caps ATen") {
    if (std::getenv("ATEN_CPU_CAPABILITY") != nullptr) return;
    const std::string aten = at::get_cpu_capability();
    CHECK((instruction_set() >= InstructionSet::avx512) == (aten == "AVX512"));
    CHECK((instruction_set() >= InstructionSet::avx2) == (aten != "DEFAULT" && aten != "NO AVX"));
}

TEST_CASE("loops of kernels run on as many threads as ATen is told") {
    const int before = at::get_num_threads();
    at::set_num_threads(2);
    std::mutex one_at_a_time;
    std::set<std::thread::id> threads;
    at::parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
        const std::lock_guard guard(one_at_a_time);
        threads.insert(std::this_thread::get_id());
    });
    at::set_num_threads(before);
    CHECK(threads.size() == 2);
}
