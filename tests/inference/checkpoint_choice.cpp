#include "support/tensor.hpp"

#include "civitas/base/error.hpp"
#include "civitas/inference/checkpoint_choice.hpp"
#include "support/temporary.hpp"

#include <ATen/ops/zeros.h>

using namespace civitas;
using namespace civitas::inference;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A run folder with checkpoints of steps 1 to `steps`, and a log beside it.
struct RunWith {
    explicit RunWith(std::int64_t steps) {
        for (std::int64_t step = 1; step <= steps; ++step)
            (void)checkpoint::save(
                world, folder.path() / "checkpoints",
                {.step = StepIndex{step}, .facts = {}, .notes = {}, .configuration = ""},
                {checkpoint::whole("/a", at::zeros({3}, at::kFloat), true)});
        log.open(folder.path() / "log.txt");
    }
    [[nodiscard]] fs::path step(int number) const {
        return folder.path() / "checkpoints" / text("step-0000000", number, ".h5");
    }
    /// Names that are read, until one of them does not throw.
    std::vector<std::string> names_read(
        const fs::path& where, const std::function<void(const fs::path&)>& read = [](auto&) {}) {
        std::vector<std::string> names;
        read_checkpoint(world, where, log, [&](const fs::path& file) {
            names.push_back(file.filename().string());
            read(file);
        });
        return names;
    }
    [[nodiscard]] std::string said() const { return test::content(folder.path() / "log.txt"); }

    test::TemporaryFolder folder{"checkpoint-choice"};
    comm::Communicator world = comm::Communicator::self();
    Log log{Rank{0}};
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a file is read itself, of a run or a folder the newest whole checkpoint") {
    RunWith run(3);
    CHECK(run.names_read(run.step(1)) == Names{"step-00000001.h5"});
    CHECK(run.names_read(run.folder.path()) == Names{"step-00000003.h5"});
    CHECK(run.names_read(run.folder.path() / "checkpoints") == Names{"step-00000003.h5"});
    CHECK(run.said().empty());
    fs::resize_file(run.step(3), fs::file_size(run.step(3)) / 2);
    CHECK(run.names_read(run.folder.path()) == Names{"step-00000002.h5"});
    CHECK_THAT(run.said(), Contains("step-00000003.h5"));
}

TEST_CASE("where a training removes what is being read, the next one is taken") {
    RunWith run(3);
    const auto removing = [&](const fs::path& file) {
        if (file == run.step(1)) return;
        fs::remove(file);
        throw AgreedError(text("cannot read ", file), false);
    };
    CHECK(run.names_read(run.folder.path(), removing) ==
          Names{"step-00000003.h5", "step-00000002.h5", "step-00000001.h5"});
}

TEST_CASE("an error in a folder that has not changed is told at once") {
    RunWith run(2);
    int times = 0;
    const auto failing = [&](const fs::path& file) {
        ++times;
        throw AgreedError(text("cannot read ", file), false);
    };
    CHECK_THROWS_WITH(run.names_read(run.folder.path(), failing), Contains("step-00000002.h5"));
    CHECK(times == 1);
}

TEST_CASE("where there is no checkpoint, what was looked for is told") {
    RunWith run(0);
    CHECK_THROWS_WITH(run.names_read(run.folder.path()),
                      Contains("holds no checkpoint. Hint: civitas train writes them"));
    CHECK_THROWS_WITH(run.names_read(run.folder.path() / "gone"),
                      Contains("there is no checkpoint or run folder"));
}

TEST_CASE("facts that describe no net are refused with the file's name") {
    CHECK_THROWS_WITH(problem_in("odd.h5", {.step = StepIndex{1},
                                            .facts = {{"net", "dcgan-\x1b"}},
                                            .notes = {},
                                            .configuration = ""}),
                      Contains("the facts of \"odd.h5\" describe no net") && !Contains("\x1b"));
}
