#include "support/tensor.hpp"

#include "civitas/simd/instruction_set.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>

using namespace civitas::simd;

TEST_CASE("the instruction set is the one that ATen computes with where nothing caps them") {
    if (std::getenv("ATEN_CPU_CAPABILITY") != nullptr || instruction_cap()) return;
    const std::string aten = at::get_cpu_capability();
    CHECK((instruction_set() >= InstructionSet::avx512) == (aten == "AVX512"));
    CHECK((instruction_set() >= InstructionSet::avx2) == (aten != "DEFAULT" && aten != "NO AVX"));
}

TEST_CASE("kernels keep to the sets that oneDNN keeps to") {
    using enum InstructionSet;
    CHECK(most_allowed("SSE41") == none);
    CHECK(most_allowed("AVX") == none);
    CHECK(most_allowed("AVX2") == avx2);
    CHECK(most_allowed("avx2_VNNI_2") == avx2);
    CHECK(most_allowed("AVX512_CORE") == avx512);
    CHECK(most_allowed("AVX512_CORE_VNNI") == avx512);
    CHECK(most_allowed("avx512_core_bf16") == avx512_bf16);
    CHECK(most_allowed("AVX512_CORE_FP16") == avx512_bf16);
    CHECK(most_allowed("AVX10_1_512") == avx512_bf16);
    for (const char* uncapped : {"ALL", "DEFAULT", "default", "AVX512_CORE_AMX",
                                 "AVX512_CORE_AMX_FP16", "AVX10_1_512_AMX", "no such set"})
        CHECK(most_allowed(uncapped) == amx_bf16);
}

TEST_CASE("an empty cap is none, and the newer name of the variable goes first") {
    const char* const names[] = {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"};
    std::optional<std::string> before[2];
    for (int i = 0; i < 2; ++i)
        if (const char* const value = std::getenv(names[i])) before[i] = value;
    setenv(names[0], "", 1);
    setenv(names[1], "", 1);
    CHECK(!instruction_cap());
    setenv(names[1], "AVX", 1);
    CHECK(instruction_cap()->set == "AVX");
    CHECK(instruction_set() == InstructionSet::none);
    setenv(names[0], "AVX2", 1);
    CHECK(instruction_cap()->variable == names[0]);
    CHECK(instruction_set() <= InstructionSet::avx2);
    for (int i = 0; i < 2; ++i)
        before[i] ? setenv(names[i], before[i]->c_str(), 1) : unsetenv(names[i]);
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
