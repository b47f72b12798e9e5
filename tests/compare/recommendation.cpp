#include "civitas/compare/recommendation.hpp"

#include "compare/made_comparison.hpp"
#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::compare;
using namespace civitas::test;

namespace {

std::string joined(const Recommendation& advice) {
    std::string words = advice.words;
    for (const std::string& reason : advice.reasons) words += '\n' + reason;
    return words;
}

const Outcome one = measured("one-process", Family::process, 1, 100);

}  // namespace

TEST_CASE("the fastest is taken, and what it gains is told") {
    auto c = of_two_ranks(
        {one, measured("data", Family::data, 2, 140), measured("gpipe", Family::pipeline, 2, 70)});
    c.outcomes[1].rounds.front().communication = 0.125;
    c.outcomes[2].rounds.front().waiting = 0.25;
    const Recommendation advice = recommend(c);
    CHECK(advice.strategy == "data");
    CHECK(advice.words == "With only CPUs (2 cores) and 2 ranks, take data: data in words.");
    CHECK_THAT(
        joined(advice),
        Catch::Contains("data makes 140.0 tiles a second, 1.40 times what one process makes"
                        ", an efficiency of 140.0 %.") &&
            Catch::Contains("The next, one-process, makes 28.6 % fewer.") &&
            Catch::Contains("Of a step of it 12.5 % is communication, with the waiting in it.") &&
            Catch::Contains("A rank holds 100.0 MB, about the least of all."));
    c.outcomes[2].rounds.front().tiles_per_second = 120;
    CHECK_THAT(
        joined(recommend(c)),
        Catch::Contains("The next, gpipe, makes 14.3 % fewer: its pipe waits 25.0 % of a step."));
}

TEST_CASE("workers of servers wait, too") {
    auto c = of_two_ranks({one, measured("server", Family::server, 2, 140)});
    c.outcomes[1].rounds.front().communication = 0.033;
    c.outcomes[1].rounds.front().waiting = 0.125;
    CHECK(recommend(c).strategy == "server");
    CHECK_THAT(joined(recommend(c)),
               Catch::Contains("Of a step of it 3.3 % is communication, with the waiting in it, "
                               "and its workers wait 12.5 % of it."));
    c.outcomes[0].rounds.front().tiles_per_second = 200;
    CHECK_THAT(joined(recommend(c)), Catch::Contains("The next, server, makes 30.0 % fewer: its "
                                                     "workers wait 12.5 % of a step."));
}

TEST_CASE("of those that are too close the simplest is taken") {
    const auto c = of_two_ranks({one, measured("gpipe", Family::pipeline, 2, 104)});
    CHECK(recommend(c).strategy == "one-process");
    CHECK_THAT(joined(recommend(c)),
               Catch::Contains("gpipe is 4.0 % faster, too little to be told apart: of the two "
                               "one-process is the simpler."));
    CHECK(recommend(of_two_ranks({one, measured("gpipe", Family::pipeline, 2, 106)})).strategy ==
          "gpipe");
}

TEST_CASE("rounds that differ are told") {
    auto c = of_two_ranks({one, measured("data", Family::data, 2, 140)});
    auto& rounds = c.outcomes[1].rounds;
    rounds.insert(rounds.end(), 2, rounds.front());
    rounds[1].tiles_per_second = 133;
    CHECK_THAT(joined(recommend(c)), !Catch::Contains("differ by"));
    rounds[2].tiles_per_second = 168;
    CHECK_THAT(joined(recommend(c)),
               Catch::Contains("Rounds of data differ by 25.0 %: more --rounds"));
}

TEST_CASE("what learns otherwise is told beside it") {
    auto c = of_two_ranks({one, measured("async", Family::async, 2, 150),
                           measured("population", Family::population, 2, 160)});
    c.outcomes[1].rounds.front().staleness = 1;
    CHECK(recommend(c).strategy == "one-process");
    CHECK_THAT(
        joined(recommend(c)),
        Catch::Contains("Updates without waiting make 1.50 times as many, but a step misses "
                        "those of others (1.0 here, on average)") &&
            Catch::Contains("they may pay, most of all where ranks differ in speed.") &&
            Catch::Contains("population makes 160.0 tiles a second with 2 of them together."));
    c.outcomes[1].rounds.front().tiles_per_second = 90;
    CHECK_THAT(joined(recommend(c)), Catch::Contains("they pay only where ranks differ in speed."));
}

TEST_CASE("where memory is short another is named") {
    const auto c = of_two_ranks({one, measured("data", Family::data, 2, 140),
                                 measured("shard:parameters", Family::shard, 2, 126, 60'000'000)});
    CHECK_THAT(
        joined(recommend(c)),
        Catch::Contains("A rank holds 100.0 MB; where memory is short, shard:parameters does "
                        "with 60.0 MB at 90.0 % of the speed."));
}

TEST_CASE("resources are told in words of their kind") {
    Subject s{.ranks = 4, .nodes = 1, .cores = 8};
    CHECK(resources_in_words(s) == "only CPUs (8 cores)");
    s.gpus = 1;
    CHECK(resources_in_words(s) == "one GPU");
    s.gpus = 4;
    CHECK(resources_in_words(s) == "4 GPUs");
    s.nodes = 2;
    CHECK(resources_in_words(s) == "several nodes (2), each with 4 GPUs");
    s.gpus = 0;
    CHECK(resources_in_words(s) == "several nodes (2), each with only CPUs (8 cores each)");

    auto c = of_two_ranks({one, measured("data", Family::data, 2, 140)});
    CHECK_THAT(joined(recommend(c)), Catch::Contains("compute with the same cores"));
    c.subject.gpus = 1;
    CHECK_THAT(joined(recommend(c)),
               Catch::Contains("2 ranks share 1 GPU: ranks beyond the GPUs add messages"));
    c.subject.gpus = 2;
    CHECK_THAT(joined(recommend(c)), !Catch::Contains("ranks beyond"));
    c.subject.nodes = 2;
    CHECK_THAT(joined(recommend(c)), Catch::Contains("a tensor axis stays within a node"));
}

TEST_CASE("where nothing was compared nothing is recommended") {
    Outcome failed = one;
    failed.rounds.clear();
    failed.why_not = "it needs more memory";
    const Recommendation advice = recommend(of_two_ranks({failed}));
    CHECK(advice.strategy.empty());
    CHECK(advice.reasons.empty());
    CHECK(advice.words == "No strategy could be compared, each for the reason told of it.");
    CHECK(recommend(of_two_ranks({measured("async", Family::async, 2, 150)})).words ==
          "None is recommended: what could be compared learns otherwise than one process would.");
}

TEST_CASE("on paper the prediction decides") {
    Comparison c = of_two_ranks({one, measured("data", Family::data, 2, 1)});
    c.subject.steps = 0;
    for (Outcome& o : c.outcomes) o.rounds.clear();
    c.outcomes[0].predicted = Predicted{.tiles_per_second = 10, .bytes = 1000};
    c.outcomes[1].predicted = Predicted{.tiles_per_second = 19, .bytes = 1000};
    CHECK(recommend(c).strategy == "data");
    CHECK_THAT(joined(recommend(c)), Catch::Contains("data should make 19.0 tiles a second, 1.90"));
}
