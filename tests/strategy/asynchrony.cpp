#include "civitas/strategy/asynchrony.hpp"

#include "civitas/random/stream.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

using namespace civitas;
using namespace civitas::strategy;

namespace {

using Staleness = std::map<std::int64_t, std::int64_t>;

std::int64_t all_of(const std::vector<std::int64_t>& steps) {
    return std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
}

RankTimes random_times(std::uint64_t trial) {
    const RandomStream stream(Seed{trial}, Purpose::times, {1, 1});
    RankTimes times;
    times.jitter = 0.9 * stream.uniform(0);
    times.seed = Seed{trial};
    times.steps.resize(1 + stream.below(9, 1));
    for (std::size_t i = 0; i < times.steps.size(); ++i)
        times.steps[i] = 0.1 + stream.uniform(2 + i);
    times.update = 0.09 * stream.uniform(20);
    return times;
}

}  // namespace

TEST_CASE("equal ranks that do not wait make as many batches as there are ranks, one step late") {
    for (const int ranks : {1, 2, 3, 8, 64}) {
        const RankTimes times{.steps = std::vector<double>(static_cast<std::size_t>(ranks), 0.3)};
        const Forecast forecast = without_waiting(times, 100 * ranks);
        CHECK(forecast.seconds == Approx(30));
        CHECK(forecast.batches_per_second() == Approx(ranks / 0.3));
        CHECK(forecast.share_of_waiting() == 0);
        CHECK(forecast.steps == std::vector<std::int64_t>(times.steps.size(), 100));
        // The first step of each rank has missed those before it, all others one of each rank.
        CHECK(forecast.staleness.at(ranks - 1) == 99 * ranks + 1);
        CHECK(forecast.staleness.rbegin()->first == ranks - 1);
        CHECK(all_of(forecast.steps) == 100 * ranks);
        CHECK(in_step(times, 100 * ranks).batches_per_second() == Approx(ranks / 0.3));
    }
}

TEST_CASE("of two ranks one of which is slowed to half, half a rank is lost, and a whole in step") {
    const RankTimes times{.steps = {0.1, 0.2}};
    const Forecast forecast = without_waiting(times, 300);
    CHECK(forecast.batches_per_second() == Approx(1.5 / 0.1));
    CHECK(forecast.steps == std::vector<std::int64_t>{200, 100});
    // The slow one misses two steps, the fast one one or none.
    CHECK(forecast.staleness == Staleness{{0, 101}, {1, 99}, {2, 100}});
    const Forecast together = in_step(times, 300);
    CHECK(together.batches_per_second() == Approx(1 / 0.1));
    CHECK(together.share_of_waiting() == Approx(0.25));
    CHECK(together.staleness.empty());
}

TEST_CASE("a thousand ranks may take as long as ten days for a step") {
    RankTimes times{.steps = std::vector<double>(1024, 1)};
    for (std::size_t i = 0; i < 512; ++i) times.steps[i] = 1e6;
    CHECK(in_step(times, 300 * 1024).share_of_waiting() == Approx(0.5).margin(0.001));
    CHECK(in_step(times, 1024).seconds == Approx(1e6));
}

TEST_CASE("a bound holds who would begin too early, the longest first") {
    // By hand: with at most one step missed two ranks work at once, the third takes over from who
    // ends first. With the rule of batch counters: at 1 s the first rank ends; the second has then
    // missed one, so nobody may begin until it ends at 2 s; then the third begins, and the first.
    const RankTimes times{.steps = {1, 2, 5}, .max_staleness = 1};
    const Forecast forecast = without_waiting(times, 4);
    CHECK(forecast.steps == std::vector<std::int64_t>{2, 1, 1});
    CHECK(forecast.staleness == Staleness{{0, 2}, {1, 2}});
    CHECK(forecast.seconds == Approx(7));
    // The third from the start to 2 s, the first from 1 s to 2 s.
    CHECK(forecast.waited == Approx(3));
}

TEST_CASE("with no step missed ranks work in turn") {
    const RankTimes times{.steps = {1, 2}, .max_staleness = 0};
    const Forecast forecast = without_waiting(times, 20);
    CHECK(forecast.seconds == Approx(30));
    CHECK(forecast.steps == std::vector<std::int64_t>{10, 10});
    CHECK(forecast.staleness == Staleness{{0, 20}});
}

TEST_CASE("no step misses more than the bound allows, whatever the times") {
    for (std::uint64_t trial = 0; trial < 60; ++trial) {
        RankTimes times = random_times(trial);
        double before = 0;
        for (const std::int64_t bound : {0, 1, 2, 3, 7, 20}) {
            INFO("trial " << trial << ", bound " << bound);
            times.max_staleness = bound;
            const Forecast forecast = without_waiting(times, 400);
            CHECK(forecast.staleness.rbegin()->first <= bound);
            CHECK(all_of(forecast.steps) == 400);
            CHECK(forecast.share_of_waiting() >= 0);
            // Who waits the longest is first: nobody is left out.
            CHECK(*std::min_element(forecast.steps.begin(), forecast.steps.end()) > 0);
            before = std::max(before, forecast.batches_per_second());
        }
        times.max_staleness.reset();
        CHECK(without_waiting(times, 400).batches_per_second() >= 0.8 * before);
    }
}

TEST_CASE("ranks take turns at the slices of an update") {
    // Two ranks are ready at once: the second enters the first slice when the first has left it.
    RankTimes times{.steps = {1, 1}, .update = 0.5, .slices = 5};
    const Forecast first = without_waiting(times, 2);
    CHECK(first.seconds == Approx(1.1));
    CHECK(first.waited == Approx(0.1));
    // From then on the second is late by a slice, and nobody waits.
    CHECK(without_waiting(times, 200).seconds == Approx(100.1));
    // An update in one piece is a limit that no number of ranks passes.
    times = {.steps = std::vector<double>(32, 1), .update = 0.5, .slices = 1};
    CHECK(without_waiting(times, 3200).batches_per_second() == Approx(2).epsilon(0.01));
}

TEST_CASE("times that vary cost ranks in step more than those that do not wait") {
    const RankTimes times{.steps = std::vector<double>(16, 0.1), .jitter = 0.5};
    const Forecast free = without_waiting(times, 4000), together = in_step(times, 4000);
    // Of 16 times uniform from half to one and a half the largest is 1.5 - 1 / 17 in the mean.
    CHECK(together.batches_per_second() == Approx(160 / (1.5 - 1. / 17)).epsilon(0.02));
    CHECK(free.batches_per_second() == Approx(160).epsilon(0.02));
    CHECK(free.mean_staleness() == Approx(15).epsilon(0.02));
    CHECK(without_waiting(times, 4000).staleness == free.staleness);
}

TEST_CASE("what is said of ranks is read, and repeated in turn") {
    CHECK_FALSE(read_times({}, 4));
    const auto times = read_times(
        {.update = "async", .seconds = "0.3,0.6", .update_seconds = 0.01, .max_staleness = "4"}, 5);
    REQUIRE(times);
    CHECK(times->steps == std::vector<double>{0.3, 0.6, 0.3, 0.6, 0.3});
    CHECK(times->update == 0.01);
    CHECK(times->max_staleness == 4);
    CHECK(read_times({.update = "async", .seconds = "0.3,0.6"}, 0)->steps.size() == 2);
}

TEST_CASE("what cannot be said of ranks is refused with what can") {
    const auto refused = [](const RankWords& words, int ranks, const std::string& why) {
        CHECK_THROWS_WITH(read_times(words, ranks), Catch::Contains(why));
    };
    const auto async = [](const std::string& seconds) {
        return RankWords{.update = "async", .seconds = seconds};
    };
    refused(async(""), 2, "--update async is planned by times of steps. Hint: --rank-seconds");
    refused({.seconds = "0.3"}, 2, "--rank-seconds is what --update async is planned by");
    refused({.update_seconds = 0.1}, 2, "--update-seconds is what --update async");
    refused({.update = "server", .jitter = 0.1}, 2, "--jitter is what --update async");
    refused({.max_staleness = "3"}, 2, "--max-staleness is what --update async");
    CHECK(!read_times({.update = "server", .max_staleness = "3"}, 2));
    refused(async("0.3,soon"), 2, "'soon' is no time of a step in seconds");
    refused(async("0.3,0"), 2, "'0' is no time of a step");
    refused(async("0.3,-1"), 2, "'-1' is no time of a step");
    refused(async("0.3,,1"), 3, "'' is no time of a step");
    refused(async("inf"), 1, "'inf' is no time of a step");
    refused(async("1,2,3"), 2, "--rank-seconds has 3 times for 2 ranks");
    RankWords words = async("0.3,0.2");
    words.update_seconds = 0.25;
    refused(words, 2, "--update-seconds 0.25: the shortest step takes 0.2 s");
    words = async("0.3");
    words.jitter = 1;
    refused(words, 1, "--jitter 1: expected 0 to below 1");
}

TEST_CASE("a forecast has a line for each kind of ranks") {
    const std::string text = to_text({.steps = {0.1, 0.2, 0.1, 0.2}});
    CHECK_THAT(text, Catch::Contains(
                         "0.100 s                            2           400.0          66.7 %"));
    CHECK_THAT(text, Catch::Contains("batches a second               30.00           20.00"));
    CHECK_THAT(text, Catch::Contains("Staleness: mean 3.00, largest "));
}
