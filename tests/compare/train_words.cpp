#include "civitas/compare/train_words.hpp"

#include "support/agree.hpp"

#include <vector>

using namespace civitas;
using namespace civitas::compare;

namespace {

using Words = std::vector<const char*>;

std::string train_words_of(Words words) {
    words.insert(words.begin(), "compare");
    return train_words(static_cast<int>(words.size()), words.data());
}

void refuse(Words words) {
    words.insert(words.begin(), "compare");
    refuse_own_choices(static_cast<int>(words.size()), words.data());
}

}  // namespace

TEST_CASE("the words of train stay, as a shell takes them") {
    CHECK(train_words_of({"--tiles", "my tiles.h5", "--rounds", "3", "--batch=32", "--output=x",
                          "--sync-batch-norm", "--overwrite", "--threads", "1", "--steps=4"}) ==
          " --tiles 'my tiles.h5' --batch=32 --sync-batch-norm --threads 1");
    CHECK(train_words_of({"--ranks", "64", "--net", "dcgan-64"}) == " --net dcgan-64");
    CHECK(train_words_of({}).empty());
}

TEST_CASE("what only trainings have a use for is refused where none is made") {
    const auto refuse_on_paper = [](Words words) {
        words.insert(words.begin(), "compare");
        refuse_of_trainings(static_cast<int>(words.size()), words.data());
    };
    CHECK_THROWS_WITH(refuse_on_paper({"--ranks", "4", "--delay", "1=0.2"}),
                      "--delay is of trainings, and --ranks predicts without any. Hint: leave out "
                      "--delay or --ranks.");
    CHECK_THROWS_AS(refuse_on_paper({"--rounds=2"}), UsageError);
    CHECK_NOTHROW(refuse_on_paper({"--tiles", "t.h5", "--threads", "2", "--steps", "3", "delay"}));
}

TEST_CASE("what strategies set, and what a run keeps, is refused") {
    CHECK_THROWS_WITH(refuse({"--batch", "8", "--mesh", "data=2"}),
                      "--mesh is what strategies differ in. Hint: --strategies names those to "
                      "compare, --placements where the naive one cuts.");
    CHECK_THROWS_WITH(
        refuse({"--run=here"}),
        "--run is of a run, and compare keeps none. Hint: leave it out; --output names "
        "the files that are written.");
    CHECK_THROWS_WITH(refuse({"--epochs", "1"}), Catch::Contains("Hint: --steps"));
    for (const char* option : {"--schedule",
                               "--stages",
                               "--discriminator-stages",
                               "--placement",
                               "--shard",
                               "--offload",
                               "--replicas",
                               "--update",
                               "--servers",
                               "--population",
                               "--vary",
                               "--when-failed",
                               "--resume",
                               "--trace",
                               "--checkpoint-every",
                               "--checkpoint-minutes",
                               "--checkpoint-mode",
                               "--keep",
                               "--keep-every",
                               "--sample-every",
                               "--allow-change",
                               "--max-minutes"})
        CHECK_THROWS_AS(refuse({option, "1"}), UsageError);
    CHECK_NOTHROW(refuse({"--placements", "3,2", "--device", "cpu", "mesh", "--strategies=shard"}));
}
