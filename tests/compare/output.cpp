#include "civitas/compare/output.hpp"

#include "compare/made_comparison.hpp"
#include "support/agree.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

using namespace civitas;
using namespace civitas::compare;
using namespace civitas::test;

namespace {

Comparison sample() {
    Comparison c = of_two_ranks({measured("one-process", Family::process, 1, 100),
                                 measured("gpipe", Family::pipeline, 2, 80),
                                 {.strategy = {.name = "data", .family = Family::data},
                                  .why_not = "a batch of <3> & \"more\""}});
    c.outcomes[1].rounds.push_back(c.outcomes[1].rounds.front());
    c.outcomes[1].rounds.back().tiles_per_second = 90;
    c.outcomes[1].rounds.front().cuts = {{0, 1, 2'002'944, 0.01}, {1, 0, 1'001'472, 0.042}};
    c.outcomes[1].rounds.back().cuts = {{0, 1, 2'002'944, 0.03}, {1, 0, 1'001'472, 0.002}};
    c.outcomes[1].predicted =
        Predicted{.seconds = 0.25, .tiles_per_second = 128, .bytes = 90'000'000, .waiting = 0.2};
    return c;
}

std::size_t count(const std::string& words, const std::string& what) {
    std::size_t found = 0;
    for (auto at = words.find(what); at != std::string::npos; at = words.find(what, at + 1))
        ++found;
    return found;
}

}  // namespace

TEST_CASE("JSON has every strategy, with all figures or the reason why not") {
    const auto json = nlohmann::json::parse(to_json(sample()));
    CHECK(json.at("format") == 3);  // waits are of the steps that count
    CHECK(json.at("subject").at("ranks") == 2);
    const auto& all = json.at("strategies");
    REQUIRE(all.size() == 3);
    CHECK(all[0].at("seconds").at("median") == 0.32);
    CHECK(all[0].at("why_not").is_null());
    CHECK(all[0].at("losses").at("g_loss") == 0.75);
    CHECK(all[0].at("bytes_of_rank").at("all") == 100'000'000);
    CHECK(all[1].at("tiles_per_second").at("rounds") == nlohmann::json{80, 90});
    CHECK(all[1].at("tiles_per_second").at("median") == 85);
    CHECK(all[1].at("speed_up") == 0.85);
    CHECK(all[1].at("cuts")[0].at("bytes").dump() == "2002944");
    CHECK(all[1].at("cuts")[0].at("waited_seconds").at("rounds") == nlohmann::json{0.01, 0.03});
    CHECK(all[1].at("cuts")[0].at("waited_seconds").at("median") == 0.02);
    CHECK(all[1].at("predicted").at("seconds") == 0.25);
    CHECK(all[1].at("family") == "pipeline");
    CHECK(all[2].at("why_not") == "a batch of <3> & \"more\"");
    CHECK(!all[2].contains("seconds"));
    CHECK(json.at("recommendation").at("strategy") == "one-process");
    auto latin = sample();
    latin.outcomes.back().why_not = "caf\xE9 cannot be read";
    CHECK(to_json(latin).find("caf\xEF\xBF\xBD cannot") != std::string::npos);
}

TEST_CASE("the table has a line for each, no longer than a wide terminal's") {
    const std::string words = to_text(sample());
    CHECK_THAT(
        words,
        Catch::Contains("data                  not compared: a batch of <3>") &&
            Catch::Contains(
                "gpipe               3.00 MB a step, 2 ways; longest waited for: 1 -> 0, 22 ms") &&
            Catch::Contains("\nThrough the cuts of pipes:\n"));
    CHECK_THAT(words, Catch::Contains("take one-process"));
    std::istringstream in(words);
    for (std::string line; std::getline(in, line);) {
        CAPTURE(line);
        CHECK(line.size() <= 140);
    }
}

TEST_CASE("times of steps have one unit, that of the longest") {
    Comparison c = sample();
    CHECK_THAT(to_text(c), Catch::Contains(" 320 ms ") && Catch::Contains(" 250 ms"));
    c.outcomes[1].predicted->seconds = 2.5;
    CHECK_THAT(to_text(c), Catch::Contains(" 0.32 s ") && Catch::Contains(" 2.5 s") &&
                               !Catch::Contains(" 320 ms"));
}

TEST_CASE("the page draws every figure that there is, and takes names as words") {
    const std::string html = to_page(sample());
    CHECK_THAT(html, Catch::Contains("a batch of &lt;3&gt; &amp; &quot;more&quot;") &&
                         !Catch::Contains("<3>"));
    // Speed, shares and memory of two strategies; traffic and waiting of two cuts.
    CHECK(count(html, "<svg class=\"bar\"") == 3 * 2 + 2 * 2);
    // A line and its two ends, of the speed of gpipe and of two cuts.
    CHECK(count(html, "class=\"range\" x1") == 3 * 3);
    CHECK_THAT(html, Catch::Contains("22 ms"));
    CHECK(count(html, "<rect class=\"mark\"") == 1);
    CHECK(count(html, "<h2>") == 9);
    for (const char* outside : {"http", "src=", "url(", "@import", "<script"})
        CHECK(html.find(outside) == std::string::npos);
}

TEST_CASE("waits have one unit, that of the longest") {
    Comparison c = sample();
    for (auto& round : c.outcomes[1].rounds) round.cuts.front().waited_s = 3;
    CHECK_THAT(to_page(c), Catch::Contains(">3 s<") && Catch::Contains(">0.022 s<") &&
                               !Catch::Contains("22 ms"));
}

TEST_CASE("where nothing was compared the reasons are told, and one with its hint") {
    CHECK(why_empty(sample()).empty());
    Comparison c = of_two_ranks({{.strategy = {.name = "naive"}, .why_not = "it has 5 blocks"},
                                 {.strategy = {.name = "data"},
                                  .why_not = "tiles of 128 pixels",
                                  .hint = "--pixels 32, or 64."}});
    CHECK(
        to_text(c) ==
        "dcgan-64: batches of 32 tiles in micro-batches of 8, fp32; 2 ranks, only CPUs (2 cores)\n"
        "naive                 not compared: it has 5 blocks\n"
        "data                  not compared: tiles of 128 pixels\n"
        "\nNo strategy could be compared, each for the reason told of it.\n");
    CHECK(why_empty(c) ==
          "no strategy could be compared, and no file is written: data: tiles of 128 pixels. "
          "Hint: --pixels 32, or 64.");
    CHECK(!c.any_broke());
    c.outcomes.pop_back();
    CHECK(why_empty(c) ==
          "no strategy could be compared, and no file is written: naive: it has 5 blocks");
    c.outcomes.back().broke = true;
    CHECK(c.any_broke());
    c.subject.steps = 0;
    CHECK(!why_empty(c).empty());
}

TEST_CASE("a comparison on paper has predictions alone") {
    Comparison c = sample();
    c.subject.steps = 0;
    for (Outcome& o : c.outcomes) o.rounds.clear();
    c.outcomes[0].predicted = Predicted{.seconds = 0.5, .tiles_per_second = 64, .bytes = 1'000'000};
    c.outcomes[1].predicted->cuts = {
        {.from = PipeCoordinate{0}, .to = PipeCoordinate{1}, .messages = 4, .bytes = 3'000'000}};
    CHECK_THAT(to_text(c), Catch::Contains("Nothing was trained") &&
                               Catch::Contains("take gpipe") && !Catch::Contains("losses"));
    const auto json = nlohmann::json::parse(to_json(c));
    CHECK(json.at("strategies")[1].at("speed_up") == 2.0);
    CHECK(json.at("strategies")[1].at("predicted").at("cuts")[0].at("bytes") == 3'000'000);
    const std::string html = to_page(c);
    CHECK(count(html, "<svg class=\"bar\"") == 2 + 2 + 1);
    CHECK_THAT(html, Catch::Contains("3.00 MB"));
    // What is told of columns is of those that are there.
    CHECK_THAT(html, Catch::Contains("Memory: all that a rank needs at its peak") &&
                         Catch::Contains("both ways") && Catch::Contains("gpipe: 0 \u2194 1") &&
                         !Catch::Contains("holds for the nets") && !Catch::Contains("fficiency") &&
                         !Catch::Contains("ommunication"));
    CHECK_THAT(to_page(sample()), Catch::Contains("Efficiency: the speed-up") &&
                                      Catch::Contains("Planned: a step as predicted"));
}
