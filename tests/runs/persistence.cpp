#include "support/tensor.hpp"

#include "app/configuration.hpp"
#include "civitas/runs/facts.hpp"
#include "civitas/runs/held_run_folder.hpp"
#include "support/shared_folder.hpp"

#include <algorithm>
#include <fstream>

using namespace civitas;
using namespace civitas::test;
using namespace civitas::runs;
namespace fs = std::filesystem;

namespace {

/// Facts of a problem with a store of tiles of that many metres.
std::map<std::string, std::string> facts(const fs::path& folder, const planner::Problem& problem,
                                         double metres) {
    const auto alone = comm::Communicator::self();
    data::StoreHeader header;
    header.crs_epsg = 2056;
    header.pixels = 64;
    header.tile_metres = metres;
    header.sources = {{"formula", ""}};
    const fs::path file = folder / "tiles.h5";
    fs::remove(file);
    data::write_tile_store(alone, file, header, std::vector<data::TileRecord>(1),
                           std::vector<std::uint8_t>(64 * 64));
    return facts_of(problem, {}, data::TileStore::open(alone, file));
}

checkpoint::Header stored(std::int64_t step, std::map<std::string, std::string> facts) {
    return {StepIndex{step}, std::move(facts), {}, ""};
}

}  // namespace

TEST_CASE("samples are counted on from what was seen, whatever the batch was") {
    const tasks::SamplesSeen from_start;
    CHECK(from_start.before(StepIndex{7}, 32) == 224);
    const tasks::SamplesSeen changed{StepIndex{6}, 48};
    CHECK(changed.before(StepIndex{6}, 16) == 48);
    CHECK(changed.before(StepIndex{8}, 16) == 80);
}

TEST_CASE("a checkpoint says the samples seen; an older one has seen a batch a step") {
    const TemporaryFolder folder("facts");
    planner::Problem problem;
    problem.batch = 12;
    problem.micro_batch = 4;
    auto known = facts(folder.path(), problem, 250);
    CHECK(samples_seen(stored(5, known)).count == 60);
    add_samples_seen(known, 100);
    CHECK(samples_seen(stored(5, known)).count == 100);
    CHECK(index(samples_seen(stored(5, known)).after) == 5);
    known["samples-seen"] = "many";
    CHECK_THROWS_WITH(samples_seen(stored(5, known)),
                      Catch::Contains("samples-seen = 'many'") && Catch::Contains("Hint: "));
}

TEST_CASE("every fact of a checkpoint may be allowed to change by its name") {
    const TemporaryFolder folder("fact-names");
    for (const auto& [name, value] : facts(folder.path(), {}, 250)) {
        const std::vector<const char*> words{"train", "--tiles",        "t",         "--run",
                                             "r",     "--allow-change", name.c_str()};
        CHECK_NOTHROW(app::parse_configuration(static_cast<int>(words.size()), words.data()));
    }
}

TEST_CASE("numbers of a checkpoint that are none are named") {
    const TemporaryFolder folder("fact-numbers");
    const auto known = facts(folder.path(), {}, 250);
    const auto refused = [&](const char* name, const char* value) {
        auto changed = known;
        changed[name] = value;
        CHECK_THROWS_WITH(
            problem_of(changed),
            Catch::Contains(text(name, " = '", value, "', which")) && Catch::Contains("Hint: "));
    };
    refused("nz", "x");
    refused("batch", "8 ");
    refused("micro-batch", "-4");
    refused("seed", "99999999999999999999");
    refused("generator-widths", "8,,8");
}

TEST_CASE("facts are exact: metres to the last digit, widths however they are given") {
    const TemporaryFolder folder("facts");
    planner::Problem problem;
    planner::NetChoice nets{.net = "dcgan-64"};
    problem.nets = planner::Nets(nets);
    const auto by_itself = facts(folder.path(), problem, 250);
    CHECK(by_itself.at("tile-metres") == "250");
    CHECK(facts(folder.path(), problem, 250.0001).at("tile-metres") == "250.0001");
    nets.generator_widths = {512, 256, 128, 64, 32};
    nets.discriminator_widths = {64, 128, 256, 512};
    problem.nets = planner::Nets(nets);
    CHECK(facts(folder.path(), problem, 250) == by_itself);
    nets.generator_widths.back() = 16;
    problem.nets = planner::Nets(nets);
    const auto other = differences(by_itself, facts(folder.path(), problem, 250));
    REQUIRE(other.size() == 1);
    CHECK(other.front().stored == "512,256,128,64,32");
    CHECK(other.front().now == "512,256,128,64,16");
}

TEST_CASE("checkpoints that do not say their widths have those that the net had then") {
    const TemporaryFolder folder("fact-widths");
    for (const auto& [net, then] : {std::pair{"dcgan-64", "512,256,128,64"},
                                    std::pair{"dcgan-256", "1024,1024,512,256,128,64"}}) {
        planner::Problem problem;
        problem.nets = planner::Nets({.net = net});
        const auto now = facts(folder.path(), problem, 250);
        auto older = now;
        older.at("generator-widths") = older.at("discriminator-widths") = "";
        const auto found = differences(older, now);
        REQUIRE(found.size() == (now.at("generator-widths") == then ? 0 : 1));
        if (!found.empty()) CHECK(found.front().stored == then);
        CHECK(facts(folder.path(), problem_of(older), 250).at("generator-widths") == then);
        if (!found.empty())
            CHECK_THROWS_WITH(require_same_problem(found, {}),
                              Catch::Contains(text("Hint: --generator-widths ", then, ", ")));
    }
}

TEST_CASE("a GAN's checkpoint and a classifier's differ in what the other does not say") {
    const TemporaryFolder folder("fact-tasks");
    planner::Problem classifier;
    classifier.nets =
        planner::Nets({.task = TaskKind::classify, .net = "resnet-18", .classes = 2, .pixels = 8});
    const auto of_gan = facts(folder.path(), {}, 250);
    const auto of_classifier = facts(folder.path(), classifier, 250);
    const auto widths = [](const Difference& d) { return d.key == "generator-widths"; };
    const auto found = differences(of_classifier, of_gan);
    const auto said = std::find_if(found.begin(), found.end(), widths);
    REQUIRE(said != found.end());
    CHECK(said->stored == "(unknown)");
    CHECK_FALSE(differences(of_gan, of_classifier).empty());
}

TEST_CASE("checkpoints that do not say their kernels were made by those of ATen") {
    const TemporaryFolder folder("fact-kernels");
    planner::Problem problem;
    auto older = facts(folder.path(), problem, 250);
    REQUIRE(older.erase("kernels") == 1);
    CHECK(differences(older, facts(folder.path(), problem, 250)).empty());
    CHECK_NOTHROW(problem_of(older));
    planner::NetChoice nets;
    nets.kernels = net::parse_kernels("fast,-generator.norm2");
    problem.nets = planner::Nets(nets);
    const auto found = differences(older, facts(folder.path(), problem, 250));
    REQUIRE(found.size() == 1);
    CHECK(found.front().stored == "aten");
    CHECK(found.front().now == "fast,-generator.norm2");
}

TEST_CASE("a configuration that the run has not written is kept, and its own is not") {
    const TemporaryFolder temporary("by-hand");
    const runs::RunFolder folder{temporary.path()};
    CHECK_FALSE(runs::set_other_configuration_aside(folder, "steps = 2\n"));
    for (const char* name : {"config.ini.old", "config.ini.old2"}) {
        std::ofstream(folder.configuration()) << "steps = 1  # by hand\n";
        CHECK_FALSE(runs::set_other_configuration_aside(folder, "steps = 1  # by hand\n"));
        CHECK(runs::set_other_configuration_aside(folder, "steps = 2\n") == folder.root / name);
        CHECK_FALSE(fs::exists(folder.configuration()));
        CHECK(test::content(folder.root / name) == "steps = 1  # by hand\n");
    }
}

TEST_CASE("metrics of a start without a checkpoint are kept, however often") {
    const TemporaryFolder temporary("earlier");
    const runs::RunFolder folder{temporary.path()};
    CHECK(runs::set_earlier_start_aside(folder).empty());
    std::ofstream(folder.metrics());
    std::ofstream(folder.configuration()) << "steps = 1\n";
    CHECK(runs::set_earlier_start_aside(folder).empty());
    fs::create_directory(folder.samples());
    for (const char* name : {"metrics.jsonl.old", "metrics.jsonl.old2", "metrics.jsonl.old3"}) {
        std::ofstream(folder.metrics()) << name;
        CHECK(runs::set_earlier_start_aside(folder).back() == folder.root / name);
    }
    CHECK(test::content(folder.root / "metrics.jsonl.old") == "metrics.jsonl.old");
    CHECK(fs::exists(folder.root / "config.ini.old"));
    std::ofstream(folder.metrics()) << "again";
    std::ofstream(folder.test_scores()) << "scores";
    std::ofstream(folder.sample(3)) << "sheet";
    CHECK(runs::set_earlier_start_aside(folder) ==
          std::vector<fs::path>{folder.root / "samples.old", folder.root / "test.jsonl.old",
                                folder.root / "metrics.jsonl.old4"});
    CHECK(test::content(folder.root / "samples.old/step-00000003.png") == "sheet");
    CHECK(fs::is_empty(folder.samples()));
}

TEST_CASE("sheets after a step are set aside, and nothing else") {
    const TemporaryFolder temporary("sheets");
    const runs::RunFolder folder{temporary.path()};
    fs::create_directory(folder.samples());
    for (const std::int64_t step : {3, 4, 5, 123'456'789}) std::ofstream(folder.sample(step));
    std::ofstream(folder.samples() / "notes.png");
    CHECK(runs::set_later_samples_aside(folder, StepIndex{4}).size() == 2);
    CHECK(fs::exists(folder.sample(4)));
    CHECK_FALSE(fs::exists(folder.sample(5)));
    CHECK(fs::exists(folder.sample(5).string() + ".abandoned"));
    CHECK(fs::exists(folder.sample(123'456'789).string() + ".abandoned"));
    CHECK(fs::exists(folder.samples() / "notes.png"));
}

TEST_CASE("the optimizer's arrays are a fact; checkpoints that do not say it were made by Adam") {
    const TemporaryFolder folder("fact-optimizer");
    auto older = facts(folder.path(), {}, 250);
    auto sgd = older, plain = older;
    REQUIRE(older.erase("optimizer") == 1);
    CHECK(differences(older, facts(folder.path(), {}, 250)).empty());
    sgd["optimizer"] = optimizer_words({.optimizer = OptimizerKind::sgd});
    plain["optimizer"] = optimizer_words({.optimizer = OptimizerKind::sgd, .momentum = 0});
    CHECK_THROWS_WITH(
        require_same_problem(differences(older, sgd), {}),
        Catch::Contains("the checkpoint was made with optimizer = adam, this run has sgd"));
    CHECK_NOTHROW(require_same_problem(differences(older, sgd), {"optimizer"}));
    CHECK(differences(sgd, plain).front().now == "sgd without momentum");
    CHECK(keeps_moments(older, facts(folder.path(), {}, 250)));
    CHECK_FALSE(keeps_moments(older, sgd));
    CHECK_FALSE(keeps_moments(plain, sgd));
    CHECK_THROWS_WITH(keeps_moments(sgd, older),
                      "a run cannot change from --optimizer sgd to adam on its way: what Adam "
                      "divides its moments by counts from the first step. Hint: another --run, or "
                      "the optimizer of the checkpoint, sgd.");
}

TEST_CASE("checkpoints that do not say how they learnt had a constant rate and no weight decay") {
    planner::Configuration c;
    const auto notes = [&] { return notes_of(c, MeshShape{}, 1, "x"); };
    auto older = notes();
    for (const char* note : {"momentum", "weight-decay", "lr-schedule"})
        REQUIRE(older.erase(note) == 1);
    CHECK(differences(older, notes()).empty());
    c.hyperparameters.weight_decay = 5e-4;
    c.hyperparameters.rate = {.shape = RateShape::cosine, .warmup_steps = 3, .total_steps = 8};
    const auto found = differences(older, notes());
    REQUIRE(found.size() == 2);
    CHECK(found[0].now == "cosine to step 8, warm-up of 3 steps");
    CHECK(found[0].stored == "constant");
    CHECK(found[1].now == "0.0005");
}
