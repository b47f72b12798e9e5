#include "civitas/cli/options.hpp"

#include "program.hpp"

#include <catch2/catch.hpp>
#include <sstream>

namespace civitas {
namespace {

using test::complaint;
using test::options_of;
using test::parse;
using test::parsed;
using test::Settings;
using Words = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

TEST_CASE("defaults stay where nothing is given") { CHECK(parsed({}) == Settings{}); }

TEST_CASE("every type is read, beside the name or after an equals sign") {
    const Settings s = parsed({"--batch", "8", "--steps=5000000000", "--seed=18446744073709551615",
                               "--rate", "1e-3", "--net=dcgan-256", "--stages", "1,2,4"});
    CHECK(s.batch == 8);
    CHECK(s.steps == 5'000'000'000);
    CHECK(s.seed == 18446744073709551615U);
    CHECK(s.rate == 1e-3);
    CHECK(s.net == "dcgan-256");
    CHECK(s.stages == Numbers{1, 2, 4});
}

TEST_CASE("a switch stands alone or with a value") {
    CHECK(parsed({"--recompute"}).recompute);
    CHECK(parsed({"--recompute=true"}).recompute);
    CHECK_FALSE(parsed({"--recompute=false"}).recompute);
    CHECK_FALSE(parsed({"--shuffle=off"}).shuffle);
    CHECK(parsed({"--shuffle"}).shuffle);
    CHECK(parsed({"--recompute", "map.gpkg"}).inputs == Words{"map.gpkg"});
    CHECK(parsed({"--recompute", "--batch", "3"}).batch == 3);
}

TEST_CASE("negative numbers are values") {
    CHECK(parsed({"--batch", "-5"}).batch == -5);
    CHECK(parsed({"--rate=-0.5"}).rate == -0.5);
    CHECK(parsed({"--stages", "-1,-2"}).stages == Numbers{-1, -2});
}

TEST_CASE("lists of words, and words without a dash") {
    const Settings s = parsed({"a.gpkg", "--roads", "lines:kind='#1'", "b.gpkg", "--roads=x=y"});
    CHECK(s.roads == Words{"lines:kind='#1'", "x=y"});
    CHECK(s.inputs == Words{"a.gpkg", "b.gpkg"});
    CHECK(parsed({"--", "--batch"}).inputs == Words{"--batch"});
    CHECK(complaint({"--stages", ""}) ==
          "--stages is given, but empty. Hint: --stages=VALUE, or without it.");
    CHECK(parsed({"-"}).inputs == Words{"-"});
}

TEST_CASE("values that are none are refused with what was expected") {
    CHECK(complaint({"--batch", "abc"}) == "--batch abc: expected a whole number");
    CHECK(complaint({"--batch", "1.5"}) == "--batch 1.5: expected a whole number");
    CHECK_THAT(complaint({"--batch", ""}), Catch::StartsWith("--batch is given, but empty"));
    CHECK(complaint({"--batch", "8 "}) == "--batch 8 : expected a whole number");
    CHECK(complaint({"--batch", "3000000000"}) ==
          "--batch 3000000000: expected a whole number from -2147483648 to 2147483647");
    CHECK(complaint({"--seed", "-1"}) ==
          "--seed -1: expected a whole number from 0 to 18446744073709551615");
    CHECK(complaint({"--rate", "fast"}) == "--rate fast: expected a number");
    CHECK(complaint({"--rate", "nan"}) == "--rate nan: expected a number");
    CHECK(complaint({"--recompute=maybe"}) == "--recompute maybe: expected true or false");
    CHECK(complaint({"--stages", "1,,2"}) ==
          "--stages 1,,2: expected whole numbers with commas between them");
}

TEST_CASE("what a user wrote is shown without what a terminal obeys, and cut where it is long") {
    CHECK(complaint({"--batch", "\x1b[2J\x07x"}) == "--batch ?[2J?x: expected a whole number");
    const std::string pages = "--batch=" + std::string(2'000'000, 'x') + 'y';
    const std::string said = complaint({pages.c_str()});
    CHECK(said.size() < 5000);
    CHECK_THAT(said, Catch::StartsWith("--batch xxx") && Catch::Contains("characters) ... xxx") &&
                         Catch::EndsWith("xy: expected a whole number"));
}

TEST_CASE("unknown options name the nearest known one") {
    CHECK(complaint({"--bacth", "8"}) == "unknown option --bacth. Hint: did you mean --batch?");
    CHECK(complaint({"--bacth=8"}) == "unknown option --bacth. Hint: did you mean --batch?");
    CHECK(complaint({"--zzzzzzzz"}) ==
          "unknown option --zzzzzzzz. Hint: program --help lists them all.");
    CHECK(complaint({"-n"}) == "unknown option --n. Hint: did you mean --net?");
}

TEST_CASE("-h is --help") {
    CHECK_THROWS_AS(parsed({"-h"}), cli::HelpRequested);
    CHECK(parsed({"--", "-h"}).inputs == Words{"-h"});
}

TEST_CASE("abbreviations are refused, with the whole name") {
    CHECK(complaint({"--re"}) == "unknown option --re. Hint: did you mean --recompute?");
    CHECK(complaint({"--bat=8"}) == "unknown option --bat. Hint: did you mean --batch?");
}

TEST_CASE("options without their value, or with two") {
    CHECK(complaint({"--batch"}) == "--batch needs a value. Hint: --batch=VALUE.");
    CHECK(complaint({"--batch="}) == "--batch needs a value. Hint: --batch=VALUE.");
    CHECK(complaint({"--net", "--batch", "3"}) == "--net needs a value. Hint: --net=VALUE.");
    CHECK(complaint({"--net", "--recompute"}) == "--net needs a value. Hint: --net=VALUE.");
    CHECK(complaint({"--recompute", "--recompute=false"}) ==
          "--recompute false: given before as true. Hint: an option is given once.");
    CHECK(complaint({"--batch", "3", "--batch=4"}) ==
          "--batch 4: given before as 3. Hint: an option is given once.");
}

TEST_CASE("a word that nothing takes is refused") {
    int batch = 1;
    cli::Options options("program", "usage");
    options.add("batch", batch, "tiles");
    CHECK_THROWS_WITH(parse(options, {"8"}),
                      "unexpected word \"8\". Hint: options start with --, see program --help.");
    CHECK_THROWS_WITH(parse(options, {"false"}),
                      "unexpected word \"false\". Hint: a switch takes its value as --NAME=false.");
}

TEST_CASE("required options") {
    const auto parse_required = [](const std::vector<const char*>& words) {
        std::string tiles;
        std::vector<std::string> maps;
        cli::Options options("program", "usage");
        options.add("tiles", tiles, "the tile store").required("tiles");
        options.positional("maps", maps, "maps to read").required("maps");
        parse(options, words);
    };
    CHECK_THROWS_WITH(
        parse_required({"m"}),
        "--tiles is missing: the tile store. Hint: program --help lists all options.");
    CHECK_THROWS_WITH(parse_required({"--tiles=t"}),
                      "maps is missing: maps to read. Hint: program --help lists all options.");
    CHECK_NOTHROW(parse_required({"--tiles=t", "m"}));
    CHECK_THROWS_WITH(parse_required({"--tiles", "", "m"}),
                      "--tiles is given, but empty. Hint: --tiles=VALUE, or without it.");
    CHECK_THROWS_WITH(parse_required({"--config", "", "m"}),
                      Catch::StartsWith("--config is given, but empty"));
}

TEST_CASE("a value that is given before goes before the command line's") {
    Settings s;
    auto options = options_of(s);
    options.preset("batch", "8").preset("net", "mine");
    parse(options, {"--batch", "64", "--steps", "5", "map"});
    CHECK(s.batch == 8);
    CHECK(s.net == "mine");
    CHECK(s.steps == 5);
    CHECK_THAT(options.resolved(), Catch::Contains("batch = 8\n"));
    CHECK_THROWS_WITH(options.preset("batch", "many"),
                      Catch::StartsWith("--batch many: expected a whole number"));
}

TEST_CASE("given says who spoke") {
    Settings s;
    auto options = options_of(s);
    parse(options, {"--batch", "32", "map"});
    CHECK(options.given("batch"));
    CHECK(options.given("inputs"));
    CHECK_FALSE(options.given("steps"));
}

TEST_CASE("help comes before what is missing, in aligned columns with defaults") {
    Settings s;
    auto options = options_of(s);
    options.required("net");
    std::string help;
    try {
        parse(options, {"--help", "--batch=4"});
    } catch (const cli::HelpRequested& asked) {
        help = asked.text;
    }
    CHECK(help == R"(program INPUT...: a program with an option of every type.

  --help            show this and end
  --config TEXT     read options from this file of name = value lines
  inputs...         maps to read

Training
  --batch N         tiles of a step [32]
  --steps N         updates of both nets [1000]
  --rate X          learning rate [2e-04]
  --recompute       drop what can be computed again
  --shuffle         another order every epoch [true]

Net and maps
  --net TEXT        name of the net (required)
  --stages N,N,...  layers of each stage [3,2]
  --roads TEXT      which layers hold roads
  --seed N          of every random number [1]
)");
}

TEST_CASE("long help is wrapped under its column") {
    int batch = 1;
    cli::Options options("program", "usage");
    std::string words;
    for (int i = 0; i < 40; ++i) words += "words ";
    options.add("batch", batch, words);
    try {
        parse(options, {"--help"});
        FAIL("no help");
    } catch (const cli::HelpRequested& asked) {
        std::istringstream in(asked.text);
        int wrapped = 0;
        for (std::string line; std::getline(in, line);) {
            CHECK(line.size() <= 100);
            if (line.starts_with("                 words")) ++wrapped;
        }
        CHECK(wrapped == 2);
    }
}

}  // namespace
}  // namespace civitas
