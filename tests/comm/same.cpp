#include "civitas/comm/same.hpp"

#include "support/agree.hpp"

using namespace civitas;
using comm::Communicator;

namespace {

std::string complaint(const Communicator& world, const std::string& roots,
                      const std::string& lasts) {
    const bool last = index(world.rank()) == world.size() - 1;
    try {
        comm::require_same(world, {"the plan", Hint{"one plan"}}, last ? lasts : roots);
    } catch (const AgreedError& e) {
        CHECK(e.usage());
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("texts that are the same on all ranks are accepted") {
    const auto world = Communicator::world();
    CHECK(complaint(world, "--steps 4\n", "--steps 4\n").empty());
    CHECK(complaint(world, "", "").empty());
}

TEST_CASE("the first line that differs is told with both ranks, on all of them") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    const std::string begin =
        text("the plan must be the same on all ranks: rank ", world.size() - 1, " has ");
    CHECK(complaint(world, "civitas\n--seed 1\n--steps 4\n", "civitas\n--seed 1\n--steps 8\n") ==
          begin + "\"--steps 8\", rank 0 has \"--steps 4\". Hint: one plan.");
    CHECK(complaint(world, "civitas\n--seed 1\n", "civitas\n--redraw\n--seed 1\n") ==
          begin + "\"--redraw\", rank 0 has nothing of the kind. Hint: one plan.");
    CHECK(complaint(world, "civitas\n--redraw\n", "civitas\n") ==
          begin + "nothing of the kind, rank 0 has \"--redraw\". Hint: one plan.");
    CHECK(complaint(world, "a\nb\n", "b\na\n") ==
          begin + "the same in another order than rank 0. Hint: one plan.");
}

TEST_CASE("only the root makes a text that all get, or its error") {
    const auto world = Communicator::world();
    int made = 0;
    const auto words = comm::from_root(world, [&] {
        ++made;
        return std::string("of the root");
    });
    CHECK(words == "of the root");
    CHECK(made == (world.is_root() ? 1 : 0));
    const auto fails = [&]() -> std::string { throw UsageError("no file", Hint{"make it"}); };
    CHECK_THROWS_WITH(comm::from_root(world, fails), Catch::EndsWith("no file. Hint: make it."));
}
