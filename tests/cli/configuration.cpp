#include "civitas/cli/options.hpp"

#include "program.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <limits>

namespace civitas {
namespace {

using test::complaint;
using test::options_of;
using test::parse;
using test::parsed;
using test::Settings;
using Words = std::vector<std::string>;

class ConfigFile {
public:
    explicit ConfigFile(const std::string& content) : folder_("configuration") {
        std::ofstream(name_) << content;
    }
    [[nodiscard]] const char* name() const { return name_.c_str(); }
    [[nodiscard]] std::string at(int line) const { return text(name_, ':', line, ": "); }
    [[nodiscard]] Settings read() const { return parsed({"--config", name()}); }
    [[nodiscard]] std::string complaint() const { return test::complaint({"--config", name()}); }

private:
    test::TemporaryFolder folder_;
    std::string name_ = (folder_.path() / "run.ini").string();
};

TEST_CASE("a file fills what the command line left") {
    const ConfigFile file("batch = 8\nrate=1e-3\nshuffle = false\nstages = 1,2,3\n");
    const Settings s = parsed({"--batch", "16", "--config", file.name()});
    CHECK(s.batch == 16);
    CHECK(s.rate == 1e-3);
    CHECK_FALSE(s.shuffle);
    CHECK(s.stages == std::vector<std::int64_t>{1, 2, 3});
    CHECK(s.net == "dcgan-64");
}

TEST_CASE("a list on the command line replaces the file's") {
    const ConfigFile file("roads = a\nroads = b\ninputs = one\ninputs = two\n");
    CHECK(file.read().roads == Words{"a", "b"});
    CHECK(file.read().inputs == Words{"one", "two"});
    const Settings s = parsed({"--roads", "c", "--config", file.name()});
    CHECK(s.roads == Words{"c"});
    CHECK(s.inputs == Words{"one", "two"});
}

TEST_CASE("what the command line says in another way is not the file's") {
    const auto both = [](const std::vector<const char*>& words) {
        Settings s;
        auto options = options_of(s);
        options.alternatives("batch", "steps");
        const ConfigFile file("batch = 8\nsteps = 5\nrate = 0.5\n");
        auto all = words;
        all.insert(all.end(), {"--config", file.name()});
        parse(options, all);
        CHECK(s.rate == 0.5);
        return std::pair{s.batch, s.steps};
    };
    const Settings usual;
    CHECK(both({}) == std::pair{8, std::int64_t{5}});
    CHECK(both({"--batch", "3"}) == std::pair{3, usual.steps});
    CHECK(both({"--steps", "3"}) == std::pair{usual.batch, std::int64_t{3}});
    CHECK(both({"--steps", "3", "--batch", "2"}) == std::pair{2, std::int64_t{3}});
}

TEST_CASE("an option that counts beside another one alone is refused without it") {
    const auto steps_beside_net = [](const std::vector<const char*>& words) {
        Settings s;
        auto options = options_of(s);
        options.goes_with("steps", "net");
        parse(options, words);
        return s.steps;
    };
    CHECK(steps_beside_net({}) == Settings{}.steps);
    CHECK(steps_beside_net({"--net", "vgg-11"}) == Settings{}.steps);
    CHECK(steps_beside_net({"--net", "vgg-11", "--steps", "3"}) == 3);
    REQUIRE_THROWS_WITH(
        steps_beside_net({"--steps", "3"}),
        "--steps counts with --net alone, which is not given. Hint: --net, or leave out --steps.");
}

TEST_CASE("comments, blank lines, line ends of other systems and quotes") {
    const ConfigFile file(
        "# a comment\n; another\n\n  batch = 4   # four\r\nnet = a#b\nroads = \"x # y\" # z\n");
    const Settings s = file.read();
    CHECK(s.batch == 4);
    CHECK(s.net == "a#b");
    CHECK(s.roads == Words{"x # y"});
}

TEST_CASE("mistakes in a file name the file and the line") {
    const auto says = [](const std::string& content, int line, const std::string& message) {
        const ConfigFile file("\n" + content + "\n");
        CHECK(file.complaint() == file.at(line) + message);
    };
    says("bacth = 8", 2, "unknown option bacth. Hint: did you mean batch?");
    says("config = x", 2, "unknown option config. Hint: program --help lists them all.");
    says("batch = abc", 2, "batch = abc: expected a whole number");
    says("batch =", 2, "batch = : expected a whole number");
    says("batch = 1\nbatch = 2", 3, "batch = 2: given before as 1. Hint: an option is given once.");
    const std::string line = " Hint: batch = 8, or # before a remark.";
    says("[training]", 2, "\"[training]\" is no line of the form name = value." + line);
    says("= 3", 2, "\"= 3\" is no line of the form name = value." + line);
    const std::string quotes = " Hint: name = \"value\" in one line, with \\\" for a quote inside.";
    says("net = \"a", 2, "the quotes of net do not match: \"a." + quotes);
    says("net = \"a\" b", 2, "the quotes of net do not match: \"a\" b." + quotes);
}

TEST_CASE("a file that cannot be read") {
    const test::TemporaryFolder folder("no-configuration");
    const std::string missing = (folder.path() / "none.ini").string();
    const std::string hint =
        ". Hint: a file of lines like batch = 8, such as the config.ini of a run.";
    CHECK(complaint({"--config", missing.c_str()}) ==
          "cannot read the configuration " + missing + hint);
    CHECK(complaint({"--config", folder.path().c_str()}) ==
          "cannot read the configuration " + folder.path().string() + hint);
}

TEST_CASE("files of other editors are read, or their encoding is named") {
    CHECK(ConfigFile("\xEF\xBB\xBF"
                     "batch = 8\r\nnet = a\r\n")
              .read()
              .batch == 8);
    for (const std::string mark : {"\xFF\xFE", "\xFE\xFF"}) {
        const ConfigFile file(mark + std::string("b\0a\0", 4));
        CHECK_THAT(file.complaint(), Catch::StartsWith(file.at(1) + "this is UTF-16") &&
                                         Catch::Contains("Hint: iconv -f UTF-16"));
    }
    const ConfigFile file("batch = 8\nnet = " + std::string("a\0b", 3));
    CHECK_THAT(file.complaint(), Catch::StartsWith(file.at(2) + "there is a byte 0"));
}

TEST_CASE("what is said once is read from a file, and not written back") {
    Settings s;
    auto options = options_of(s);
    options.once("steps").once("roads");
    const ConfigFile file("steps = 7\nroads = a\nbatch = 8\n");
    parse(options, {"--config", file.name()});
    CHECK(s.steps == 7);
    CHECK(options.file() == file.name());
    CHECK_THAT(options.resolved(), Catch::Contains("batch = 8"));
    CHECK_THAT(options.resolved(), !Catch::Contains("steps") && !Catch::Contains("roads"));
}

TEST_CASE("a file can give what is required") {
    Settings s;
    auto options = options_of(s);
    options.required("net");
    const ConfigFile file("net = dcgan-256\n");
    parse(options, {"--config", file.name()});
    CHECK(s.net == "dcgan-256");
    CHECK(options.given("net"));
}

TEST_CASE("the resolved configuration reads back to the same values") {
    Settings s;
    s.recompute = GENERATE(true, false);
    s.batch = -3;
    s.steps = std::numeric_limits<std::int64_t>::min();
    s.seed = std::numeric_limits<std::uint64_t>::max();
    s.rate = GENERATE(0.1, 1.0 / 3.0, -5e-324, 1.7976931348623157e308, 2e-4,
                      std::numeric_limits<double>::infinity());
    s.net = GENERATE(as<std::string>{}, "", " a ", "a # b", "a#b", "#", "\"quoted\"", "a\nb \\n",
                     "C:\\maps\\x", "a = b; c", "\t\"\\");
    s.stages = {};
    s.roads = {"layer:kind = '#1'", "", "second # one"};
    const Settings before = s;
    const std::string ini = options_of(s).resolved();
    INFO(ini);
    CHECK(ConfigFile(ini).read() == before);
}

TEST_CASE("the resolved configuration has a line for every option, under its heading") {
    Settings s;
    auto options = options_of(s);
    parse(options, {"--batch=8", "map.gpkg", "--roads=a", "--roads=b"});
    CHECK(options.resolved() == R"(inputs = map.gpkg

# Training
batch = 8
steps = 1000
rate = 2e-04
recompute = false
shuffle = true

# Net and maps
net = dcgan-64
stages = 3,2
roads = a
roads = b
seed = 1
)");
}

}  // namespace
}  // namespace civitas
