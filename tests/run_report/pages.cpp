#include "civitas/run_report/run_report.hpp"

#include "civitas/io/files.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/run_report/tensorboard.hpp"
#include "run_report/album.hpp"
#include "run_report/charts.hpp"
#include "run_report/protobuf.hpp"
#include "support/agree.hpp"
#include "support/temporary.hpp"

#include <algorithm>
#include <cstring>

using namespace civitas;
using namespace civitas::run_report;

namespace {

RunContents made(const std::string& name, double seconds) {
    RunContents run{.folder = name, .configuration = "net = dcgan-64\nsteps = 9\nseed = 1\n"};
    for (int step = 1; step <= 4; ++step)
        for (const auto& [key, value] :
             {std::pair("d_loss", 1.0 / step), std::pair("g_loss", 2.0), std::pair("tiles", 16.0),
              std::pair("seconds", seconds), std::pair("bytes", 3e8),
              std::pair("communication_share", 0.25), std::pair("bubble_share", 0.0)})
            run.steps.series[key].push_back({static_cast<double>(step), value});
    return run;
}

bool has(const std::vector<Chart>& charts, const std::string& title) {
    return std::any_of(charts.begin(), charts.end(),
                       [&](const Chart& chart) { return chart.title == title; });
}

}  // namespace

TEST_CASE("a run is drawn by what it has told") {
    RunContents run = made("runs/first/", 0.5);
    CHECK(run.name() == "first");
    auto charts = charts_of(run);
    CHECK(has(charts, "Losses"));
    CHECK(has(charts, "Speed"));
    CHECK(has(charts, "Memory"));
    CHECK(has(charts, "Where the time goes"));
    CHECK_FALSE(has(charts, "What D thinks"));
    CHECK_FALSE(has(charts, "Test tiles"));
    run.tests.series["top1"] = {{4, 0.75}};
    run.planned = runs::Planned{.seconds = 0.4, .bytes = 500'000'000, .tiles = 16};
    charts = charts_of(run);
    CHECK(has(charts, "Test tiles"));
    for (const Chart& chart : charts) {
        if (chart.title == "Speed") {
            CHECK(chart.lines.lines.front().points.front().y == 32);
            CHECK(chart.lines.mark == Approx(40));
        }
        if (chart.title == "Memory") CHECK(chart.lines.mark == Approx(500));
    }
}

TEST_CASE("the page of a run says what was planned and what measured") {
    RunContents run = made("first", 0.5);
    run.steps.unreadable = 2;
    run.configuration += "name = <b>\n";
    run.planned = runs::Planned{.program = "civitas 0",
                                .ranks = 2,
                                .mesh = "data=2",
                                .schedule = "1f1b",
                                .threads = 1,
                                .instructions = "AVX2",
                                .seconds = 0.4,
                                .bytes = 500'000'000,
                                .tiles = 16};
    run.schedule = "<?xml version=\"1.0\"?>\n<svg id=\"gantt\"></svg>\n";
    run.checkpoints = {{"step-00000004.h5", 2'000'000, "fingerprint 12"}};
    const std::string html = to_page(run, {{"Mine", "", "<p>more</p>"}});
    for (const char* words :
         {"Run first", "4 of 9 steps", "2 ranks, mesh data=2", "0.4000", "0.5000", "40.0", "32.0",
          "data:image/svg+xml;base64,", "step-00000004.h5", "2.0", "fingerprint 12",
          "name = &lt;b&gt;", "could not be read: 2", "<p>more</p>"}) {
        CAPTURE(words);
        CHECK_THAT(html, Catch::Contains(words));
    }
    // A picture that scripts do not run in, whatever a folder of somebody else's holds.
    CHECK(html.find("<svg id") == std::string::npos);
    CHECK(html.find("http") == std::string::npos);
}

TEST_CASE("the steps that were asked for are those that steps told of, else those that are said") {
    RunContents run = made("first", 0.5);
    run.configuration = "net = dcgan-64\nsteps = 0\n";  // by epochs, or as ever
    CHECK_THAT(to_page(run, {}), Catch::Contains("dcgan-64, 4 steps"));
    run.steps.series["steps"] = {{1, 6}, {4, 7}};
    CHECK_THAT(to_page(run, {}), Catch::Contains("dcgan-64, 4 of 7 steps"));
}

TEST_CASE("where ranks make steps at the same time, speed is that of all, planned and measured") {
    RunContents run = made("free", 0.5);
    for (int step = 1; step <= 4; ++step) {
        run.steps.series["rank"].push_back({static_cast<double>(step), step % 2 * 1.0});
        run.steps.series["steps_per_second"].push_back({static_cast<double>(step), 3.5});
    }
    run.planned = runs::Planned{.ranks = 2, .mesh = "data=1", .seconds = 0.4, .tiles = 16};
    for (const Chart& chart : charts_of(run))
        if (chart.title == "Speed") {
            CHECK(chart.lines.lines.front().points.front().y == 56);
            CHECK(chart.lines.mark == Approx(80));
        }
    const std::string html = to_page(run, {});
    for (const char* words : {"0.4000", "0.5000", "80.0", "56.0"})
        CHECK_THAT(html, Catch::Contains(words));
    CHECK_THAT(to_page(std::vector{run, made("other", 0.5)}), Catch::Contains("56.0"));
}

TEST_CASE("runs beside each other: figures, options that differ, a line for each") {
    std::vector<RunContents> runs{made("a", 0.5), made("b", 0.25)};
    runs[1].configuration = "net = dcgan-64\nsteps = 9\nseed = 2\n";
    const std::string html = to_page(runs);
    CHECK_THAT(html, Catch::Contains("2 runs") && Catch::Contains("Options that differ") &&
                         Catch::Contains("32.0") && Catch::Contains("64.0") &&
                         Catch::Contains("Losses: D") && Catch::Contains("mean l1"));
    CHECK(html.find(">net<") == std::string::npos);
    CHECK_THROWS_WITH(to_page(std::vector<RunContents>(7, runs[0])), Catch::Contains("colours"));
}

TEST_CASE("a run is read from its folder") {
    const test::TemporaryFolder at("run_report");
    const auto& folder = at.path();
    CHECK_THROWS_WITH(read_run(folder / "none"), Catch::Contains("is no run folder"));
    io::write_text_file(folder / "config.ini", "net = dcgan-64\n");
    RunContents run = read_run(folder);
    CHECK(run.samples.empty());
    CHECK_FALSE(run.planned);
    std::filesystem::create_directory(folder / "samples");
    for (const char* name : {"step-00000002.png", "step-00000001.png"})
        io::write_png(folder / "samples" / name, io::Picture(1000, 10, {9, 9, 9}));
    io::write_text_file(folder / "samples" / "notes.txt", "mine");
    io::write_text_file(folder / "plan.json", to_json(runs::Planned{.mesh = "m", .seconds = 0.5}));
    io::write_text_file(folder / "schedule.svg", "<svg/>");
    std::filesystem::create_directory(folder / "checkpoints");
    io::write_text_file(folder / "checkpoints" / "step-00000003.h5", "no checkpoint");
    run = read_run(folder);
    REQUIRE(run.samples.size() == 2);
    CHECK(run.samples.front().filename() == "step-00000001.png");
    CHECK(run.planned->mesh == "m");
    CHECK(run.schedule == "<svg/>");
    REQUIRE(run.checkpoints.size() == 1);
    CHECK_FALSE(run.checkpoints.front().state.starts_with("fingerprint"));
    const std::string pictures = album(run.samples);
    CHECK_THAT(pictures, Catch::Contains("data:image/png;base64,iVBOR") &&
                             Catch::Contains("max=\"1\"") && Catch::Contains("step-00000002"));
    io::write_text_file(folder / "samples" / "step-00000001.png", "torn");
    CHECK_THAT(album(run.samples), Catch::Contains("PNG") && Catch::Contains("step-00000002"));
}

TEST_CASE("a plan that is none is left out of the page, which says so") {
    const test::TemporaryFolder at("run_report");
    const auto& folder = at.path();
    const auto plan = folder / "plan.json";
    io::write_text_file(folder / "config.ini", "net = dcgan-64\n");
    const std::string whole = to_json(runs::Planned{.mesh = "m", .seconds = 0.5});
    for (const std::string& words :
         {std::string(), std::string("{}"), std::string("[1]"), whole.substr(0, whole.size() / 2),
          std::string("\xff\xfe"), std::string(R"({"program": 1})")}) {
        CAPTURE(words);
        io::write_text_file(plan, words);
        const RunContents run = read_run(folder);
        CHECK_FALSE(run.planned);
        const std::string html = to_page(run, {});
        CHECK_THAT(html, Catch::Contains("Planned and measured") && Catch::Contains("Left out: ") &&
                             Catch::Contains("is no plan of a run") &&
                             Catch::Contains("the next start of the run writes it") &&
                             Catch::Contains("Configuration"));
    }
    std::filesystem::remove(plan);
    std::filesystem::create_directory(plan);
    CHECK_THAT(to_page(read_run(folder), {}), Catch::Contains("Left out: "));
    std::filesystem::remove(plan);
    CHECK_THAT(to_page(read_run(folder), {}), !Catch::Contains("Planned and measured"));
}

TEST_CASE("a plan has the names that its file has, in UTF-8, and the page all its parts") {
    const test::TemporaryFolder at("run_report");
    const auto folder = at.path() / "Zürich 東京";
    std::filesystem::create_directory(folder);
    io::write_text_file(folder / "config.ini", "net = dcgan-64\nsteps = 9\n");
    const runs::Planned planned{.program = "civitas 7.8 of Zürich",
                                .ranks = 6,
                                .mesh = "data=3 pipe=2",
                                .schedule = "interleaved-東京",
                                .threads = 5,
                                .instructions = "AVX512",
                                .seconds = 0.25,
                                .bubble = 0.125,
                                .bytes = 234'000'000,
                                .tiles = 48};
    io::write_text_file(folder / "plan.json", to_json(planned));
    const RunContents run = read_run(folder);
    REQUIRE(run.planned);
    CHECK(run.planned->program == planned.program);
    CHECK(run.planned->schedule == planned.schedule);
    const std::string html = to_page(run, {});
    for (const char* words :
         {"Run Zürich 東京", "civitas 7.8 of Zürich, 6 ranks, mesh data=3 pipe=2",
          "schedule interleaved-東京, 5 threads a rank, AVX512", "0.2500", "192.0", "12.5",
          "234"}) {
        CAPTURE(words);
        CHECK_THAT(html, Catch::Contains(words));
    }
}

TEST_CASE("of many pictures the first, the last and some between are shown") {
    const test::TemporaryFolder at("run_report");
    const auto& folder = at.path();
    std::vector<std::filesystem::path> files;
    for (int i = 10; i < 60; ++i) {
        files.push_back(folder / ("p" + std::to_string(i) + ".png"));
        io::write_png(files.back(), io::Picture(2, 2, {}));
    }
    const std::string pictures = album(files);
    CHECK_THAT(pictures, Catch::Contains("alt=\"p10\"") && Catch::Contains("alt=\"p59\"") &&
                             Catch::Contains("max=\"15\""));
}

TEST_CASE("event files are records that TensorBoard reads") {
    RunContents run = made("first", 0.5);
    run.steps.series["time"] = {{1, 1e9}, {2, 1e9 + 1}, {3, 1e9 + 2}, {4, 1e9 + 3}};
    Log log(Rank{0});
    const auto file = event_file(run, log);
    // The first record: 8 bytes of length, 4 of their checksum; then the version of the format.
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), sizeof length);
    const std::string all(reinterpret_cast<const char*>(file.data()), file.size());
    CHECK(all.substr(12, length).find("brain.Event:2") != std::string::npos);
    // 7 figures of 4 steps, but those of time itself.
    std::size_t records = 0;
    for (std::size_t at = 0; at < file.size(); ++records) {
        std::memcpy(&length, file.data() + at, sizeof length);
        at += length + 16;
        REQUIRE(at <= file.size());
    }
    CHECK(records == 1 + 7 * 4);
    const test::TemporaryFolder folder("events");
    const auto written = write_event_file(run, folder.path() / "made", log);
    CHECK_THAT(written.filename().string(), Catch::Contains("tfevents"));
    CHECK(io::read_text_file(written) == all);
    // A sheet adds a record, a damaged one does not.
    const auto sheet = folder.path() / "step-00000001.png";
    io::write_text_file(sheet, "");
    run.samples = {sheet};
    CHECK(event_file(run, log) == file);
    io::write_png(sheet, io::Picture(2, 2, {}));
    CHECK(event_file(run, log).size() > file.size());
}

TEST_CASE("messages are in the wire format of Protocol Buffers") {
    // The examples of its guide: field 1 is 150; field 2 is "testing".
    CHECK(Message().integer(1, 150).bytes() == "\x08\x96\x01");
    CHECK(Message().words(2, "testing").bytes() == "\x12\x07testing");
    CHECK(Message().words(3, Message().integer(1, 150).bytes()).bytes() == "\x1a\x03\x08\x96\x01");
    CHECK(Message().real(4, 1.0F).bytes() == std::string("\x25\0\0\x80\x3f", 5));
    CHECK(Message().real(1, 1.0).bytes() == std::string("\x09\0\0\0\0\0\0\xf0\x3f", 9));
}
