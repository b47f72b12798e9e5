#include "support/torch.hpp"

#include "civitas/memory/offload_file.hpp"
#include "civitas/optim/optimizer.hpp"
#include "support/file_size_limit.hpp"
#include "support/small_disk.hpp"
#include "support/temporary.hpp"

#include <unistd.h>

// Arrays on a disk: they hold what arrays in memory hold, little of them is in memory, and nothing
// of the file can be seen or outlives it. What ranks on GPUs keep in host memory is updated by the
// same code on CPUs: windows of it go to tensors of their own, and come back.

using namespace civitas;
using namespace civitas::optim;
using namespace civitas::memory;
using test::TemporaryFolder;

namespace {

constexpr std::int64_t window = 1 << 16;

/// Bytes of mapped files that are resident in this process.
std::int64_t mapped_bytes() {
    std::int64_t size = 0, resident = 0, shared = 0;
    std::ifstream("/proc/self/statm") >> size >> resident >> shared;
    return shared * sysconf(_SC_PAGESIZE);
}

std::string refusal(const std::filesystem::path& folder, std::int64_t bytes) {
    try {
        const OffloadFile file(folder, bytes, 1);
    } catch (const Error& e) {
        return e.what();
    }
    return "accepted";
}

bool same_moments(const Optimizer& a, const Optimizer& b) {
    const auto same = [](const Moment& x, const Moment& y) {
        return x.name == y.name && at::equal(x.values.flat(), y.values.flat());
    };
    return std::equal(a.moments().begin(), a.moments().end(), b.moments().begin(),
                      b.moments().end(), same);
}

}  // namespace

TEST_CASE("what is let go leaves memory, keeps its values, and has no name in the folder") {
    const TemporaryFolder folder("offload");
    constexpr std::int64_t elements = 1 << 20;
    OffloadFile file(folder.path(), 2 * 4 * elements, 2, window);
    CHECK(std::filesystem::is_empty(folder.path()));
    const at::Tensor one = file.zeros(elements, at::kFloat);
    const at::Tensor other = file.zeros(elements, at::kFloat);
    CHECK_THROWS_WITH(file.zeros(elements, at::kFloat), Catch::Contains("what was planned"));
    CHECK(one.abs().max().item<float>() == 0);
    const at::Tensor values = at::arange(elements, at::kFloat);
    one.copy_(values);
    const std::int64_t before = mapped_bytes();
    file.let_go(one.view({16, 16, 64, 64}).permute({0, 3, 1, 2}));
    CHECK(before - mapped_bytes() > elements * 4 * 3 / 4);
    CHECK(at::equal(one, values));
    CHECK(other.abs().max().item<float>() == 0);
    file.let_go(values);  // which lies elsewhere
    file.read_ahead(values);
    CHECK(values[elements - 1].item<float>() == elements - 1);
}

TEST_CASE("a walk visits every element once, and has a window in memory") {
    const TemporaryFolder folder("offload-walk");
    constexpr std::int64_t elements = (1 << 22) + 100;
    OffloadFile file(folder.path(), 8 * elements, 1, 1 << 20);
    const at::Tensor array = file.zeros(elements, at::kDouble);
    const std::int64_t before = mapped_bytes();
    std::int64_t end = 0, most = 0;
    walk(&file, {&array, 1}, [&](Range some) {
        CHECK(some.begin == end);
        end = some.end();
        comm::part(array, some).add_(1);
        most = std::max(most, mapped_bytes() - before);
    });
    CHECK(end == elements);
    CHECK(array.sum().item<double>() == elements);
    CHECK(most < elements);  // an eighth; the system maps some pages around what is touched
    int visits = 0;
    walk(nullptr, {&array, 1}, [&](Range some) {
        CHECK(some == Range{0, elements});
        ++visits;
    });
    CHECK(visits == 1);
}

TEST_CASE("initial values, updates and the mean on a disk have the bits of those in memory") {
    const TemporaryFolder folder("offload-adam");
    const net::ArenaLayout layout(
        {{"w.weight", {60, 900, 2, 2}, net::Initializer::normal_around_zero},
         {"b.bias", {5000}, net::Initializer::normal_around_one}});
    const net::ArenaRuns own = net::ArenaDivision(layout, {{0, 1}, {1, 1}}, 2).owned_by(1);
    for (const auto type : {at::kFloat, at::kDouble}) {
        const auto bytes = 4 * own.count() * static_cast<std::int64_t>(c10::elementSize(type));
        OffloadFile file(folder.path(), bytes, 4, window);
        const ArenaShard there(layout, own, type, at::kCPU, &file);
        const ArenaShard here(layout, own, type, at::kCPU);
        initialise(there, layout, Seed{3}, "net");
        initialise(here, layout, Seed{3}, "net");
        REQUIRE(at::equal(there.flat(), here.flat()));
        const OptimizerOptions options{
            .kind = type == at::kFloat ? OptimizerKind::adam : OptimizerKind::sgd,
            .learning_rate = 1e-2};
        Optimizer offloaded(layout, own, options, type, at::kCPU, 0.9, &file);
        Optimizer in_memory(layout, own, options, type, at::kCPU, 0.9);
        for (int step = 0; step < 2; ++step) {
            const at::Tensor gradient = at::sin(at::arange(own.count(), type)).mul_(1 + step);
            offloaded.step(there, gradient);
            in_memory.step(here, gradient);
        }
        CHECK(at::equal(there.flat(), here.flat()));
        CHECK(same_moments(offloaded, in_memory));
        CHECK(at::equal(offloaded.mean()->flat(), in_memory.mean()->flat()));
    }
}

TEST_CASE("what a device gets a window at a time has the bits of what lies there") {
    const net::ArenaLayout layout(
        {{"w.weight", {60, 900, 2, 2}, net::Initializer::normal_around_zero},
         {"b.bias", {5000}, net::Initializer::normal_around_one}});
    const net::ArenaRuns own = net::ArenaDivision(layout, {{0, 1}, {1, 1}}, 2).owned_by(1);
    struct Case {
        at::ScalarType type;
        net::KernelSet kernels;
        std::optional<double> ema;
        bool weights_there, copied;
        OptimizerKind kind = OptimizerKind::adam;
        double momentum = 0.9;
    };
    using enum net::KernelSet;
    for (const auto& [type, kernels, ema, weights_there, copied, kind, momentum] :
         {Case{at::kFloat, aten, 0.9, false, true}, Case{at::kFloat, aten, {}, true, false},
          Case{at::kFloat, fast, 0.9, true, false}, Case{at::kDouble, aten, 0.9, false, false},
          Case{at::kFloat, fast, 0.9, true, false, OptimizerKind::sgd},
          Case{at::kFloat, fast, {}, false, true, OptimizerKind::sgd, 0}}) {
        HostMemory memory(true, window);  // without CUDA nothing is pinned
        const ArenaShard there(layout, own, type, at::kCPU, weights_there ? &memory : nullptr);
        const ArenaShard here(layout, own, type, at::kCPU);
        initialise(there, layout, Seed{3}, "net");
        initialise(here, layout, Seed{3}, "net");
        const OptimizerOptions options{
            .kind = kind, .learning_rate = 1e-2, .momentum = momentum, .kernels = kernels};
        Optimizer staged(layout, own, options, type, at::kCPU, ema, &memory);
        Optimizer in_place(layout, own, options, type, at::kCPU, ema);
        const at::Tensor copy = copied ? at::zeros({own.count()}, at::kBFloat16) : at::Tensor();
        for (int step = 0; step < 2; ++step) {
            const at::Tensor gradient = at::sin(at::arange(own.count(), type)).mul_(1 + step);
            staged.step(there, gradient, copy);
            in_place.step(here, gradient);
        }
        CHECK(at::equal(there.flat(), here.flat()));
        CHECK(same_moments(staged, in_place));
        CHECK(staged.offloaded_bytes() == in_place.bytes());
        if (ema) CHECK(at::equal(staged.mean()->flat(), in_place.mean()->flat()));
        if (copied) CHECK(at::equal(copy, here.flat().to(at::kBFloat16)));
    }
}

TEST_CASE("a disk with too little room, or none at all, is told before anything is on it") {
    const TemporaryFolder folder("offload-room");
    CHECK_THAT(refusal(folder.path(), std::int64_t{1} << 60),
               Catch::Contains("no room in " + folder.path().string()) ||
                   Catch::Contains("no room in \"" + folder.path().string()));
    CHECK_THAT(refusal(folder.path() / "none", 4096),
               Catch::Contains("cannot offload to") && Catch::Contains("No such file") &&
                   Catch::Contains("Hint: --offload-folder"));
    {
        const test::FileSizeLimit limit(1 << 20);
        CHECK_THAT(refusal(folder.path(), 1 << 21),
                   Catch::Contains("for 2.1 MB of weights and moments") &&
                       Catch::Contains("File too large") && Catch::Contains("Hint: free some"));
    }
    CHECK(std::filesystem::is_empty(folder.path()));
    const test::SmallDisk disk(folder.path(), "400k");
    if (!disk.mounted()) return;
    CHECK_THAT(refusal(folder.path(), 500'000), Catch::Contains("it has 0.4 MB"));
    CHECK(refusal(folder.path(), 300'000) == "accepted");
    CHECK(OffloadFile(folder.path(), 4096, 1).is_in_memory());
}
