#include "civitas/report/metrics.hpp"

#include "civitas/base/error.hpp"
#include "support/file_size_limit.hpp"
#include "support/small_disk.hpp"
#include "support/temporary.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace civitas;
using namespace civitas::report;
namespace fs = std::filesystem;

namespace {

StepRecord number(std::int64_t step) {
    StepRecord r;
    r.step = step;
    r.values = {{.key = "loss", .label = "loss", .value = 0.5},
                {.key = "accuracy", .label = "right", .value = 0.25}};
    return r;
}

std::string lines(std::int64_t first, std::int64_t last) {
    std::string all;
    for (std::int64_t s = first; s <= last; ++s) all += to_json(number(s)) + "\n";
    return all;
}

ino_t inode(const fs::path& file) {
    struct stat facts {};
    REQUIRE(stat(file.c_str(), &facts) == 0);
    return facts.st_ino;
}

}  // namespace

TEST_CASE("a metrics file goes on, is cut back, and survives a torn line") {
    const test::TemporaryFolder folder("metrics");
    const auto file = folder.path() / "metrics.jsonl";
    {
        MetricsFile metrics(file, 0);
        for (std::int64_t s = 1; s <= 5; ++s) metrics.append(number(s));
        metrics.sync();
    }
    std::ofstream(file, std::ios::app) << R"({"step":6,"steps)";
    {
        MetricsFile metrics(file, 4);
        CHECK(metrics.unreadable() == 1);
        metrics.append(number(5));
    }
    CHECK(test::content(file) == lines(1, 5));
    { CHECK(MetricsFile(file, 2).unreadable() == 0); }
    CHECK(test::content(file) == lines(1, 2));
    { const MetricsFile metrics(file, 0); }
    CHECK(test::content(file).empty());
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a metrics file that needs no cut is left as it is") {
    const test::TemporaryFolder folder("metrics");
    const auto file = folder.path() / "metrics.jsonl";
    std::ofstream(file) << lines(1, 3);
    const auto before = inode(file);
    { MetricsFile(file, 3).append(number(4)); }
    CHECK(inode(file) == before);
    CHECK(test::content(file) == lines(1, 4));
    std::ofstream(file) << "no line of ours\n" << lines(1, 3) << "{\"steps\":3}\n\n";
    CHECK(MetricsFile(file, 3).unreadable() == 3);
    CHECK(test::content(file) == lines(1, 3));
}

TEST_CASE("a metrics file that cannot be written is an error with its name") {
    const test::TemporaryFolder folder("metrics");
    CHECK_THROWS_WITH(MetricsFile(folder.path() / "nowhere" / "metrics.jsonl", 0),
                      Catch::Contains("nowhere/metrics.jsonl") && Catch::Contains("Hint: "));
    const auto file = folder.path() / "metrics.jsonl";
    MetricsFile metrics(file, 0);
    metrics.append(number(1));
    {
        const test::FileSizeLimit limit(lines(1, 1).size() + 20);
        CHECK_THROWS_WITH(metrics.append(number(2)),
                          Catch::Contains("metrics.jsonl") && Catch::Contains("Hint: free some"));
    }
    metrics.append(number(2));
    CHECK(test::content(file) == lines(1, 2));
}

TEST_CASE("a line that room was made for is written on a disk that is full meanwhile") {
    const test::TemporaryFolder folder("metrics");
    const test::SmallDisk disk(folder.path(), "64k");
    if (!disk.mounted()) {
        WARN("cannot mount a small disk");
        return;
    }
    const auto file = folder.path() / "metrics.jsonl", ballast = folder.path() / "ballast";
    const auto fill = [&] { std::ofstream(ballast) << std::string(100'000, 'x') << std::flush; };
    MetricsFile metrics(file, 0);
    for (std::int64_t s = 1; s <= 40; ++s) {
        fs::remove(ballast);
        metrics.make_room();
        fill();
        metrics.append(number(s));
    }
    CHECK(test::content(file) == lines(1, 40));
    const auto go_on = [&] {
        for (std::int64_t s = 41; s <= 80; ++s) {
            try {
                metrics.make_room();
            } catch (...) {
                metrics.append(number(s));  // which has had its room since the line before
                throw;
            }
            metrics.append(number(s));
        }
    };
    CHECK_THROWS_WITH(go_on(), Catch::Contains("no room for") && Catch::Contains("metrics.jsonl") &&
                                   Catch::Contains("Hint: free some"));
    const std::string told = test::content(file);
    const auto last = std::count(told.begin(), told.end(), '\n');
    CHECK(last > 40);
    CHECK(told == lines(1, last));
}

TEST_CASE("room is made for lines as long as those before") {
    const test::TemporaryFolder folder("metrics");
    const test::SmallDisk disk(folder.path(), "64k");
    if (!disk.mounted()) {
        WARN("cannot mount a small disk");
        return;
    }
    StepRecord wordy = number(1);
    wordy.values.front().key = std::string(6000, 'k');
    MetricsFile metrics(folder.path() / "metrics.jsonl", 0);
    metrics.append(wordy);
    metrics.make_room();
    std::ofstream(folder.path() / "ballast") << std::string(100'000, 'x') << std::flush;
    CHECK_NOTHROW(metrics.append(wordy));
    CHECK_NOTHROW(metrics.append(wordy));
}

TEST_CASE("a metrics file that is no regular file is refused, and not waited for") {
    const test::TemporaryFolder folder("metrics");
    const auto file = folder.path() / "metrics.jsonl";
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(MetricsFile(file, 0),
                      Catch::Contains("is no regular file. Hint: move it away"));
}
