#include "support/torch.hpp"

#include "support/shared_folder.hpp"
#include "support/temporary.hpp"
#include "train/agreement.hpp"
#include "train/setting.hpp"

#include <fstream>

using namespace civitas;
using namespace civitas::train;

namespace {

Configuration parse(std::vector<const char*> words) {
    words.insert(words.begin(), {"train", "--tiles", "t.h5", "--run", "r"});
    return parse_configuration(static_cast<int>(words.size()), words.data());
}

std::string refusal(const std::vector<const char*>& words) {
    try {
        (void)parse(words);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("wrong settings are refused with a hint") {
    CHECK(refusal({"--net", "dcgan-65"}).find("dcgan-64") != std::string::npos);
    CHECK(refusal({"--precision", "fp8"}).find("fp32, bf16 or fp64") != std::string::npos);
    CHECK(refusal({"--loss", "wgan"}).find("hinge") != std::string::npos);
    CHECK(refusal({"--coding", "rgb"}).find("colour") != std::string::npos);
    CHECK(refusal({"--ema", "1.5"}).find("--ema 1.5 is out of range") != std::string::npos);
    CHECK(refusal({"--steps", "5", "--epochs", "2"}).find("both given") != std::string::npos);
    CHECK(refusal({"--shard", "optimizer"}).find("not available in this version") !=
          std::string::npos);
    CHECK(refusal({"--steps", "-5"}).find("--steps -5 is out of range") != std::string::npos);
    CHECK(refusal({"--steps", "1000000000000001"}) ==
          "--steps 1000000000000001 is out of range. Hint: a whole number from 0 to "
          "1000000000000000.");
    CHECK(refusal({"--reduction", "ring"}).find("tree or fast") != std::string::npos);
    CHECK(refusal({"--mikro-batch", "4"}).find("--micro-batch") != std::string::npos);
}

TEST_CASE("sizes that cannot be are refused before anything is made") {
    const auto says = [](const std::vector<const char*>& words, const std::string& part) {
        INFO(words.front() << ' ' << words[1]);
        CHECK_THAT(refusal(words), Catch::Contains(part) && Catch::Contains("Hint: "));
    };
    says({"--nz", "9223372036854775807"}, "--nz 9223372036854775807 is out of range");
    says({"--nz", "-1"}, "--nz -1 is out of range");
    says({"--net", "dcgan-64", "--generator-widths", "8,8,8,99999999"}, "99999999 is out of range");
    says({"--batch", "9223372036854775807"}, "--batch 9223372036854775807 is out of range");
    says({"--micro-batch", "0"}, "--micro-batch 0 is out of range");
    says({"--batch", "4000000", "--micro-batch", "1"}, "4000000 micro-batches");
    says({"--batch", "4000000", "--micro-batch", "1"}, "Hint: --micro-batch 4.");
    says({"--threads", "1000000"}, "--threads 1000000: expected auto or a number from 1 to 4096");
    says({"--threads", "0"}, "--threads 0: expected");
    says({"--schedule", "interleaved:1000000"}, "needs 1000000 stages a coordinate");
    says({"--epochs", "1e15"}, "--epochs 1e+15 is out of range");
}

TEST_CASE("only settings that a checkpoint guards may be allowed to change") {
    CHECK_THAT(refusal({"--allow-change", "sead"}),
               Catch::Contains("--allow-change sead") && Catch::Contains("did you mean seed?"));
    CHECK_THAT(refusal({"--allow-change", "no-such-thing"}), Catch::Contains("tile-metres"));
    CHECK(refusal({"--allow-change", "tile-metres", "--allow-change", "ema"}) == "accepted");
}

TEST_CASE("a schedule's name is never a file's at the border, too") {
    const test::TemporaryFolder folder("names");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    std::ofstream("gan") << "no table";
    CHECK(refusal({"--schedule", "gan", "--redraw", "--placement", "same"}) == "accepted");
    std::ofstream("mine") << "no table";
    CHECK_THAT(refusal({"--schedule", "mine", "--redraw"}), Catch::Contains("the table mine says"));
    std::filesystem::current_path(before);
}

TEST_CASE("a batch that cannot be shared is refused with both numbers") {
    Task task;
    task.batch = 30;
    CHECK_THROWS_WITH(
        check_batch(task, {.data = 1}),
        "a batch of 30 tiles cannot be cut into micro-batches of 16. Hint: --batch 32.");
    task.batch = 32;
    CHECK_THROWS_WITH(check_batch(task, {.data = 3}),
                      Catch::Contains("2 micro-batches of 16, cannot be shared by 3 ranks") &&
                          Catch::Contains("--batch 48"));
}

TEST_CASE("the resolved configuration reads back to itself") {
    const auto c = parse({"--net", "dcgan-64", "--generator-lr", "0.00017", "--allow-change",
                          "batch", "--sync-batch-norm", "--discriminator-widths", "8,8,8,8"});
    const std::string file = "resolved" + std::to_string(getpid()) + ".ini";
    std::ofstream(file) << c.resolved;
    const std::vector<const char*> words{"train", "--config", file.c_str()};
    const auto again = parse_configuration(static_cast<int>(words.size()), words.data());
    std::remove(file.c_str());
    CHECK(again.resolved == c.resolved);
    CHECK(again.recipe.generator_lr == 0.00017);
    CHECK(again.task.sync_batch_norm);
    CHECK(again.task.discriminator_widths == std::vector<std::int64_t>{8, 8, 8, 8});
}

TEST_CASE("steps follow from epochs, and micro-batches from the mesh") {
    Course course;
    Task task;
    CHECK(total_steps(course, task, 1000) == 1000);
    course.epochs = 2;
    CHECK(total_steps(course, task, 1000) == 63);  // 2000 samples of 32, the last batch begun
}

TEST_CASE("the work of a step is that of the nets") {
    // dcgan-64: 2 x 104 M multiply-adds in G (without the last layer's 3 channels: 100.7 M).
    const auto gan = nn::dcgan("dcgan-64", 3);
    const double flops = flops_of_step(gan, 1);
    CHECK(flops > 11 * 2 * 100e6);
    CHECK(flops < 11 * 2 * 112e6);
    // The first layers: 1.6 M multiply-adds in G (100 to 512 channels of 4 x 4) and 3.1 M in D (3
    // to 64 channels of 32 x 32, 4 x 4 each), whose B is left out where nobody asks for it.
    const double first_layers = 2.0 * 100 * 512 * 16 + 2 * 2.0 * 3 * 64 * 1024 * 16;
    double layers = 0;
    for (const auto* net : {&gan.generator, &gan.discriminator}) {
        const auto shapes = nn::shapes_of(*net);
        for (std::size_t i = 0; i < net->layers.size(); ++i)
            layers +=
                (net == &gan.generator ? 3 : 8) * nn::forward_flops(net->layers[i], shapes[i]);
    }
    CHECK(flops == layers - first_layers);
}

TEST_CASE("a schedule's name is no file's, and what a file gets wrong is told with its name") {
    const auto world = comm::Communicator::world();
    const auto before = std::filesystem::current_path();
    const test::SharedFolder folder(world, "schedules");
    if (world.is_root())
        for (const char* name : {"gan", "mine"}) std::ofstream(folder.path() / name) << "\x1b[2J";
    world.barrier();
    std::filesystem::current_path(folder.path());
    Log log(world.rank());
    Configuration c;
    c.task.net = "dcgan-64";
    c.layout.schedule = "gan";
    CHECK_FALSE(read_table("gan", cli::read_file));
    CHECK(agree_on_setting(world, c, log).schedule.name == "gan");
    c.layout.schedule = "mine";
    c.layout.table = read_table("mine", cli::read_file);
    CHECK_THROWS_WITH(agree_on_setting(world, c, log),
                      Catch::StartsWith("schedule mine, line 1: no 'schedule NAME' but '?[2J'"));
    std::filesystem::current_path(before);
}

TEST_CASE("more messages than MPI can tell apart are refused before the table is made") {
    const auto world = comm::Communicator::world();
    if (world.size() == 1) return;
    Log log(world.rank());
    Configuration c;
    c.task.net = "dcgan-64";
    c.task.micro_batch = 1;
    c.task.batch = std::int64_t{1} << 40;
    c.layout.mesh = "pipe=2";
    CHECK_THROWS_WITH(
        agree_on_setting(world, c, log),
        Catch::StartsWith("1099511627776 micro-batches a rank are too many for a pipe: ") &&
            Catch::Contains("--micro-batch "));
}

TEST_CASE("meshes and schedules that do not fit are refused on all ranks") {
    const auto world = comm::Communicator::world();
    Log log(world.rank());
    Configuration c;
    c.task.net = "dcgan-64";
    c.layout.mesh = "data=3,pipe=2";
    CHECK_THROWS_WITH(agree_on_setting(world, c, log), Catch::Contains("needs 6 ranks"));
    c.layout.mesh = "";
    c.layout.schedule = "zigzag";
    CHECK_THROWS_WITH(agree_on_setting(world, c, log), Catch::Contains("zigzag"));
    const std::string table = "table" + std::to_string(getpid());
    const auto one = parallel::make_schedule("1f1b", {.micro_batches = 1});
    std::ofstream(table) << to_string(one) << to_string(one.coordinates[0][0]) << '\n';
    c.layout.schedule = table;
    c.layout.table = read_table(table, cli::read_file);
    CHECK_THROWS_WITH(agree_on_setting(world, c, log), Catch::Contains("has 2 lines of actions") &&
                                                           Catch::Contains("1 pipe coordinates"));
    world.barrier();
    std::remove(table.c_str());
    c.layout.schedule = "1f1b";
    c.layout.table = std::nullopt;
    c.layout.device = "gpu";
    CHECK_THROWS_WITH(agree_on_setting(world, c, log), Catch::Contains("unknown device 'gpu'"));
    c.layout.device = "cpu";
    c.layout.stage_devices = "cpu,cpu,cpu";
    CHECK_THROWS_WITH(agree_on_setting(world, c, log),
                      Catch::Contains("--stage-devices cpu,cpu,cpu has 3 devices, mesh data=") &&
                          Catch::Contains("has 1 pipe coordinates. Hint: one for each."));
    c.layout.stage_devices = "cpu,";
    CHECK_THROWS_WITH(agree_on_setting(world, c, log), Catch::Contains("unknown device ''"));
    c.layout.stage_devices = "";
    c.layout.threads = "many";
    CHECK_THROWS_WITH(agree_on_setting(world, c, log), Catch::Contains("--threads many"));
}
