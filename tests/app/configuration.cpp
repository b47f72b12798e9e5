#include "app/configuration.hpp"

#include "civitas/schedule/gan.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace civitas;

namespace {

planner::Configuration parse(std::vector<const char*> words) {
    words.insert(words.begin(), {"train", "--tiles", "t.h5", "--run", "r"});
    return app::parse_configuration(static_cast<int>(words.size()), words.data());
}

std::string refused(const std::vector<const char*>& words) {
    try {
        (void)parse(words);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("wrong settings are refused with a hint") {
    CHECK(refused({"--net", "dcgan-65"}).find("dcgan-64") != std::string::npos);
    CHECK(refused({"--precision", "fp8"}).find("fp32, bf16 or fp64") != std::string::npos);
    CHECK(refused({"--loss", "wgan"}).find("hinge") != std::string::npos);
    CHECK(refused({"--optimizer", "adagrad"}) == "unknown optimizer 'adagrad'. Hint: adam or sgd.");
    CHECK(refused({"--momentum", "1"}).find("--momentum 1 is out of range") != std::string::npos);
    CHECK(refused({"--weight-decay", "-1"}).starts_with("--weight-decay -1 is out of range"));
    CHECK(refused({"--warmup-steps", "-3"}).starts_with("--warmup-steps -3 is out of range"));
    CHECK(refused({"--lr-gamma", "2"}).starts_with("--lr-gamma 2 is out of range"));
    CHECK(refused({"--lr-steps", "5"}).starts_with("--lr-steps 5 is given, but --lr-schedule is"));
    CHECK(refused({"--lr-schedule", "step", "--lr-steps", "9,5"})
              .starts_with("--lr-steps 9,5: 5 comes after 9"));
    CHECK(refused({"--coding", "cmyk"}).find("colour") != std::string::npos);
    CHECK(refused({"--coding", "rgb"}).find("--coding colour, or grey") != std::string::npos);
    CHECK(refused({"--net", "resnet-18"}).find("--task classify") != std::string::npos);
    CHECK(refused({"--task", "classify"}).find("--net with one of vgg-11") != std::string::npos);
    CHECK(refused({"--classes", "3", "--condition", "cover"}) ==
          "--classes: a GAN with --condition cover tells none apart. Hint: leave it "
          "out, or --condition source.");
    CHECK(refused({"--classes", "3"}).find("a GAN with --condition none") != std::string::npos);
    CHECK(refused({"--classes", "3", "--condition", "source"}) == "accepted");
    CHECK(refused({"--classes", "-1"}).starts_with("--classes -1 is out of range"));
    CHECK(refused({"--ema", "1.5"}).find("--ema 1.5 is out of range") != std::string::npos);
    CHECK(refused({"--steps", "5", "--epochs", "2"}).find("both given") != std::string::npos);
    CHECK(refused({"--shard", "gradients", "--sync-batch-norm"}) ==
          "--sync-batch-norm does not go with --shard gradients: its ranks would take other "
          "micro-batches. Hint: --shard optimizer.");
    CHECK(refused({"--shard", "gradients", "--reduction", "fast"}) ==
          "--reduction fast does not go with --shard gradients, which sums every leaf in its "
          "place. Hint: --reduction tree.");
    CHECK(refused({"--shard", "layers"}) ==
          "unknown shard level 'layers'. Hint: none, optimizer, gradients or parameters.");
    CHECK(refused({"--kernels", "cudnn"})
              .starts_with(
                  "unknown kernels 'cudnn'. Hint: aten, fast, auto, or as fast,-generator.norm2,"));
    CHECK(refused({"--net", "dcgan-256", "--kernels", "fast,-generator.conv1"})
              .ends_with("has no layer generator.conv1. Hint: did you mean generator.deconv1?"));
    CHECK(refused({"--offload", "tape"}) == "unknown offload 'tape'. Hint: none, host or disk.");
    CHECK(refused({"--steps", "-5"}).find("--steps -5 is out of range") != std::string::npos);
    CHECK(refused({"--steps", "1000000000000001"}) ==
          "--steps 1000000000000001 is out of range. Hint: a whole number from 0 to "
          "1000000000000000.");
    CHECK(refused({"--reduction", "ring"}).find("tree or fast") != std::string::npos);
    CHECK(refused({"--mikro-batch", "4"}).find("--micro-batch") != std::string::npos);
}

TEST_CASE("sizes that cannot be are refused before anything is made") {
    const auto says = [](const std::vector<const char*>& words, const std::string& part) {
        INFO(words.front() << ' ' << words[1]);
        CHECK_THAT(refused(words), Catch::Contains(part) && Catch::Contains("Hint: "));
    };
    says({"--nz", "9223372036854775807"}, "--nz 9223372036854775807 is out of range");
    says({"--nz", "-1"}, "--nz -1 is out of range");
    says({"--net", "dcgan-64", "--generator-widths", "8,8,8,99999999"}, "99999999 is out of range");
    says({"--batch", "9223372036854775807"}, "--batch 9223372036854775807 is out of range");
    says({"--micro-batch", "-1"}, "--micro-batch -1 is out of range");
    says({"--batch", "4000000", "--micro-batch", "1"}, "4000000 micro-batches");
    says({"--batch", "4000000", "--micro-batch", "1"}, "Hint: --micro-batch 4.");
    says({"--threads", "1000000"}, "--threads 1000000: expected auto or a number from 1 to 4096");
    says({"--threads", "0"}, "--threads 0: expected");
    says({"--checkpoint-mode", "later"}, "unknown checkpoint mode 'later'. Hint: sync or async.");
    says({"--checkpoint-minutes", "-1"}, "--checkpoint-minutes -1 is out of range. Hint: a number");
    says({"--keep-every", "-1"}, "--keep-every -1 is out of range. Hint: a whole number from 0");
    for (const char* seconds : {"soon", "-3", "0.5", "2e9", "3s", "nan"})
        says({"--hang-seconds", seconds},
             text("--hang-seconds ", seconds, ": expected auto, 0 or a number from 1 to 1e+09"));
    says({"--node-size", "-1"}, "--node-size -1 is out of range");
    says({"--schedule", "interleaved:1000000"}, "needs 1000000 stages a coordinate");
    says({"--net", "dcgan-1024", "--batch", "1000000000", "--micro-batch", "1000000000"},
         "--batch 1000000000 of tiles that are 9.04236e+07 values on their way through dcgan-1024 "
         "is more than any machine can hold");
    says({"--epochs", "1e15"}, "--epochs 1e+15 is out of range");
}

TEST_CASE("ranks that serve or wait are numbers that can be") {
    CHECK(refused({"--update", "server", "--servers", "-1"}) ==
          "--servers -1 is out of range. Hint: a whole number from 0 to 1000000.");
    CHECK(refused({"--servers", "-1"}).starts_with("--servers -1 is out of range."));
    CHECK(refused({"--delay", "1=1e9"}) ==
          "--delay 1e+09 is out of range. Hint: a number from 0 to 3600.");
    CHECK(refused({"--delay", "1=-1"}) ==
          "--delay -1 is out of range. Hint: a number from 0 to 3600.");
    for (const char* words : {"1=nan", "1=", "1", "-1=1", "1=0.2s", "1=1e999", "=1"})
        CHECK(refused({"--delay", words}) ==
              text("--delay ", words, ": '", words,
                   "' is no RANK=SECONDS. Hint: --delay 1=0.2,3=1.5."));
    CHECK(refused({"--delay", "1=0.2,3=1,1=2"}) ==
          "--delay names rank 1 twice. Hint: once for each.");
    CHECK((parse({"--delay", "1=0.2,3=3600"}).update.delays ==
           std::map<int, double>{{1, 0.2}, {3, 3600}}));
}

TEST_CASE("only settings that a checkpoint guards may be allowed to change") {
    CHECK_THAT(refused({"--allow-change", "sead"}),
               Catch::Contains("--allow-change sead") && Catch::Contains("did you mean seed?"));
    CHECK_THAT(refused({"--allow-change", "no-such-thing"}), Catch::Contains("tile-metres"));
    CHECK(refused({"--allow-change", "tile-metres", "--allow-change", "ema"}) == "accepted");
}

TEST_CASE("a schedule's name is no file's, and what a file gets wrong is told with its name") {
    const test::TemporaryFolder folder("names");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    for (const char* name : {"gan", "mine"}) std::ofstream(name) << "\x1b[2J";
    const auto named = parse({"--schedule", "gan", "--redraw", "--placement", "same"});
    CHECK(named.layout_options.schedule ==
          planner::ScheduleChoice(planner::ScheduleName{"gan", 1}));
    CHECK(named.layout_options.placement == planner::StageOrder::same);
    CHECK_THAT(refused({"--schedule", "mine", "--redraw"}), Catch::Contains("the table mine says"));
    CHECK_THAT(refused({"--schedule", "mine"}),
               Catch::StartsWith("schedule mine, line 1: no 'schedule NAME' but '?[2J'"));
    std::ofstream("mine") << to_string(
        schedule::make_schedule("naive", {.graph = schedule::gan::graph(), .micro_batches = 1}));
    const auto own = parse({"--schedule", "mine"});
    REQUIRE(own.layout_options.table() != nullptr);
    CHECK(own.layout_options.table()->name == "mine");
    CHECK(own.layout_options.table()->coordinates.size() == 1);
    std::filesystem::current_path(before);
}

TEST_CASE("words become what they mean, and only known ones do") {
    const auto usual = parse({}).layout_options;
    CHECK(usual.schedule == planner::ScheduleChoice(planner::ScheduleName{"1f1b", 1}));
    CHECK_FALSE(usual.threads);
    CHECK(usual.node_size == 0);
    CHECK(parse({"--node-size", "2"}).layout_options.node_size == 2);
    CHECK(usual.devices() == "cpu");
    CHECK_FALSE(parse({}).run_options.hang_seconds);
    CHECK(parse({"--hang-seconds", "0"}).run_options.hang_seconds == 0);
    CHECK(parse({"--hang-seconds", "90.5"}).run_options.hang_seconds == 90.5);
    const auto c =
        parse({"--schedule",      "interleaved:3", "--threads",   "4",    "--device",    "cuda",
               "--stage-devices", "cpu,cuda",      "--kernels",   "aten", "--reduction", "fast",
               "--coding",        "grey",          "--precision", "bf16", "--loss",      "hinge",
               "--resume",        "never"});
    CHECK(c.layout_options.schedule ==
          planner::ScheduleChoice(planner::ScheduleName{"interleaved:3", 3}));
    CHECK(c.layout_options.threads == 4);
    CHECK(c.layout_options.device == DeviceKind::cuda);
    CHECK(c.layout_options.devices() == "cpu,cuda");
    CHECK(c.layout_options.reduction == Reduction::fast);
    CHECK(c.problem.coding() == Coding::grey);
    CHECK(c.problem.precision == net::Precision::bf16);
    CHECK(c.hyperparameters.loss == net::LossKind::hinge);
    CHECK(c.run_options.resume == planner::Resume{planner::Resume::From::nothing});
    CHECK(parse({"--resume", "auto"}).run_options.resume == planner::Resume{});
    CHECK(parse({"--resume", "old.h5"}).run_options.resume ==
          planner::Resume{planner::Resume::From::file, "old.h5"});
    CHECK(refused({"--schedule", "zigzag"}) ==
          "unknown schedule 'zigzag'. Hint: naive, gpipe, 1f1b, interleaved:v, zero-bubble, gan, "
          "or a file.");
    CHECK_THAT(refused({"--schedule", "interleaved:x"}), Catch::Contains("'interleaved:x'"));
    CHECK(refused({"--device", "gpu"}) == "unknown device 'gpu'. Hint: cpu or cuda.");
    CHECK_THAT(refused({"--stage-devices", "cpu,"}), Catch::Contains("unknown device ''"));
    CHECK_THAT(refused({"--placement", "left"}), Catch::Contains("auto, same or reversed"));
    CHECK_THAT(refused({"--threads", "many"}), Catch::Contains("--threads many: expected auto"));
}

TEST_CASE("the resolved configuration reads back to itself") {
    const auto c = parse({"--net", "dcgan-64", "--generator-lr", "0.00017", "--allow-change",
                          "batch", "--sync-batch-norm", "--discriminator-widths", "8,8,8,8",
                          "--kernels", "fast,-discriminator.conv1,-adam"});
    const test::TemporaryFolder folder("resolved");
    const std::string file = folder.path() / "config.ini";
    std::ofstream(file) << c.resolved;
    const std::vector<const char*> words{"train", "--config", file.c_str()};
    const auto again = app::parse_configuration(static_cast<int>(words.size()), words.data());
    CHECK(again.resolved == c.resolved);
    CHECK(again.hyperparameters.generator_lr == 0.00017);
    CHECK(again.problem.sync_batch_norm);
    CHECK(again.problem.kernels().words() == "fast,-adam,-discriminator.conv1");
    CHECK(again.problem.nets.choice().discriminator_widths ==
          std::vector<std::int64_t>{8, 8, 8, 8});
}

TEST_CASE("nets for plans of 256 pixels have micro-batches and rates of their own") {
    const auto small = parse({"--net", "dcgan-64"}), large = parse({"--net", "dcgan-256"});
    CHECK(small.problem.micro_batch == 4);
    CHECK(small.hyperparameters.rate.shape == RateShape::automatic);
    CHECK(large.problem.micro_batch == 8);
    CHECK(large.hyperparameters.rate.shape == RateShape::constant);
    CHECK_THAT(large.resolved,
               Catch::Contains("micro-batch = 8\n") && Catch::Contains("lr-schedule = constant\n"));
    CHECK_THAT(small.resolved, Catch::Contains("lr-schedule = auto\n"));
    CHECK(parse({"--net", "dcgan-512", "--batch", "2"}).problem.micro_batch == 2);
    const auto said =
        parse({"--net", "dcgan-256", "--micro-batch", "4", "--lr-schedule", "cosine"});
    CHECK(said.problem.micro_batch == 4);
    CHECK(said.hyperparameters.rate.shape == RateShape::cosine);
    const auto classifier = parse({"--task", "classify", "--net", "resnet-18", "--pixels", "256"});
    CHECK(classifier.problem.micro_batch == 4);
    CHECK(classifier.hyperparameters.rate.shape == RateShape::automatic);
}

TEST_CASE("every option that members of a population may differ in can be set for each") {
    const std::vector<const char*> words{"train", "--tiles", "t.h5", "--run", "r", "--ema", "0.5"};
    const auto with = [&](const population::Setting& setting) {
        return app::parse_configuration(static_cast<int>(words.size()), words.data(),
                                        cli::read_file, {setting});
    };
    const std::string usual = parse({"--ema", "0.5"}).resolved;
    for (const std::string& option : population::varying_options()) {
        INFO(option);
        const std::string value = option == "loss"              ? "hinge"
                                  : option == "seed"            ? "7"
                                  : option == "label-smoothing" ? "0.75"
                                  : option == "optimizer"       ? "sgd"
                                  : option == "lr-schedule"     ? "cosine"
                                  : option == "warmup-steps"    ? "7"
                                                                : "0.25";
        const auto c = with({option, value});
        CHECK(c.resolved != usual);
        CHECK_THAT(c.resolved, Catch::Contains('\n' + option + " = " + value + '\n'));
    }
    CHECK_THROWS_WITH(with({"generator-lr", "2"}), Catch::Contains("--generator-lr 2"));
    CHECK(parse({"--population", "3", "--vary", "seed=1,2,3"}).resolved == parse({}).resolved);
    CHECK(refused({"--population", "0"}) ==
          "--population 0 is out of range. Hint: a whole number from 1 to 1000000.");
}

TEST_CASE("a condition adds numbers behind the noise, and behind the logit") {
    const auto shapes = [](const planner::Configuration& c) {
        const auto& nets = c.problem.nets;
        return std::array{nets[schedule::gan::generator].input.channels,
                          net::shapes_of(nets[schedule::gan::discriminator]).back().channels};
    };
    const auto cover = parse({"--net", "dcgan-64", "--condition", "cover"});
    CHECK(cover.problem.nets.nz() == 100);
    CHECK(shapes(cover) == std::array<std::int64_t, 2>{102, 3});
    CHECK(shapes(parse({"--net", "dcgan-64"})) == std::array<std::int64_t, 2>{100, 1});
    CHECK(shapes(parse({"--net", "dcgan-64", "--condition", "source", "--classes", "5"})) ==
          std::array<std::int64_t, 2>{105, 6});
    CHECK(cover.hyperparameters.condition_weight == 1);
    CHECK(refused({"--condition", "town"}) ==
          "unknown condition 'town'. Hint: none, cover or source.");
    CHECK_THAT(refused({"--condition", "cover", "--coding", "grey"}),
               Catch::Contains("--condition-weight 1 is of the channels"));
    CHECK_NOTHROW(parse({"--condition", "cover", "--coding", "grey", "--condition-weight", "0"}));
    CHECK_THAT(refused({"--condition-weight", "-1"}), Catch::Contains("out of range"));
}

TEST_CASE("replicas share the threads that are said") {
    CHECK(parse({"--replicas", "2", "--threads", "4"}).layout_options.replicas == 2);
    CHECK(parse({"--replicas", "2"}).layout_options.replicas == 2);
    CHECK(refused({"--replicas", "2", "--threads", "3"}) ==
          "--threads 3 of a rank cannot be shared by 2 replicas. Hint: --threads 4, or auto.");
    CHECK(refused({"--replicas", "0"}) ==
          "--replicas 0 is out of range. Hint: a whole number from 1 to 1024.");
}

TEST_CASE("a run that has had its steps goes on by epochs, and the other way round") {
    const auto length = [](const std::string& line, const std::vector<const char*>& words) {
        const test::TemporaryFolder folder("length");
        const std::string file = (folder.path() / "config.ini").string();
        std::ofstream(file) << parse({line.c_str()}).resolved;
        std::vector<const char*> all{"train", "--config", file.c_str()};
        all.insert(all.end(), words.begin(), words.end());
        const auto c = app::parse_configuration(static_cast<int>(all.size()), all.data());
        return std::pair{c.run_options.steps, c.run_options.epochs};
    };
    CHECK(length("--steps=5", {}) == std::pair{std::int64_t{5}, 0.0});
    CHECK(length("--steps=5", {"--epochs", "2"}) == std::pair{std::int64_t{0}, 2.0});
    CHECK(length("--epochs=2", {"--steps", "5"}) == std::pair{std::int64_t{5}, 0.0});
}
