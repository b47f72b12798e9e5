#include "civitas/base/log.hpp"

#include "support/file_size_limit.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace civitas;

TEST_CASE("who speaks stands in front of every line on the terminal, not in the file") {
    const test::TemporaryFolder folder("speaker");
    const auto file = folder.path() / "rank-0.txt";
    Log log(Rank{1}, "member 2");
    log.open(file);
    log.info("first\nsecond");
    log.detail("third");
    CHECK(test::content(file) == "first\nsecond\nthird\n");
    CHECK(log.spoken("first\nsecond") == "member 2: first\nmember 2: second");
    CHECK(Log(Rank{1}).spoken("first\nsecond") == "first\nsecond");
}

TEST_CASE("lines that a log could not keep are counted, and those after them are kept again") {
    const test::TemporaryFolder folder("log");
    const auto file = folder.path() / "rank-1.txt";
    Log log(Rank{1});
    log.record("before there is a file");
    log.open(file);
    log.record("first");
    CHECK(log.losses().empty());
    {
        const test::FileSizeLimit full(6);
        log.record("second");
        log.record("third");
    }
    log.info("fourth");
    CHECK(test::content(file) == "first\nfourth\n");
    CHECK_THAT(log.losses(), Catch::Contains("2 lines could not be written to ") &&
                                 Catch::Contains("rank-1.txt\": File too large"));
}
