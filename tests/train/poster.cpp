#include "support/tensor.hpp"

#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/poster.hpp"
#include "support/temporary.hpp"
#include "train/agreement.hpp"
#include "train/watch.hpp"

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::train;

namespace {

planner::Configuration configuration_of(const std::string& mesh) {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64",
                                    .nz = 8,
                                    .generator_widths = {8, 8, 8, 8},
                                    .discriminator_widths = {8, 8, 8, 8}});
    c.problem.batch = 8;
    c.problem.micro_batch = 4;
    c.layout_options.mesh = MeshRequest(mesh);
    return c;
}

/// What the slot shows, post by post: `step words [waits for ...] [from rank]`.
std::vector<std::string> shown(const environment::Board& board, const environment::Words& words) {
    std::vector<std::string> lines;
    for (const auto& [activity, begun, at] : board.posts(0))
        lines.push_back(
            text(activity.step, ' ', words(activity),
                 activity.awaited.empty() ? "" : " waits for " + to_string(activity.awaited),
                 activity.source < 0 ? "" : text(" from ", activity.source),
                 activity.takes_long ? ", long" : ""));
    return lines;
}

}  // namespace

TEST_CASE("what a rank does and waits for is posted, and told in words") {
    const auto world = comm::Communicator::world();
    const auto c = configuration_of("");
    const auto layout = agree_on_layout(world, c, agree_on_model(world, c));
    const auto words = words_for(layout, planner::workload_of(c.problem, c.hyperparameters));
    std::vector<std::uint64_t> memory(static_cast<std::size_t>(environment::Board::bytes_for(1)) /
                                      sizeof(std::uint64_t));
    environment::Board board(std::as_writable_bytes(std::span(memory)), 1);
    Poster poster(board, 0, world);

    poster.begin_step(StepIndex{3});
    const schedule::Action last{schedule::gan::discriminator, StageId{0}, schedule::gan::d_generate,
                                schedule::Kind::BW, LocalMicroBatch{1}};
    poster.begin(last);
    poster.waiting_for(PipeCoordinate{0});
    poster.at_layer(0);
    poster.begin_wait({0, 2, 3});
    poster.begin_wait({5, 1, 1});
    poster.end_wait();
    poster.end_wait();
    poster.begin({schedule::gan::generator, {}, {}, schedule::Kind::reduce, {}});
    {
        const AtWork saving(&poster, Work::saving);
        poster.begin_wait({0, 1, 2});
        poster.end_wait();
    }
    const AtWork nowhere(nullptr, Work::saving);
    const std::vector<std::string> expected{
        "0 starts, long",
        "4 begins its table",
        "4 D0.generate.BW1, layer conv0 from 0",
        "4 D0.generate.BW1, layer conv0 waits for ranks 0, 2 ... 4 from 0",
        "4 D0.generate.BW1, layer conv0 from 0",
        "4 G.reduce",
        "4 saves a checkpoint, long",
        "4 saves a checkpoint waits for ranks 0 and 1, long",
        "4 saves a checkpoint, long",
        "4 begins its table"};
    CHECK(shown(board, words) == expected);
}

TEST_CASE("layers go by the names that a rank has them by") {
    const auto world = comm::Communicator::world();
    const auto c = configuration_of(world.size() == 2 ? "tensor=2" : "data=1");
    auto layout = agree_on_layout(world, c, agree_on_model(world, c));
    const auto nets = c.problem.nets;
    const auto all = net::local_net(nets[schedule::gan::discriminator],
                                    layout.split_of(schedule::gan::discriminator), 0);
    const auto words = words_for(layout, planner::workload_of(c.problem, c.hyperparameters));
    environment::Activity activity{
        .step = 1, .micro = 0, .net = 1, .pass = 0, .stage = 0, .action = 0};
    for (std::size_t i = 0; i < all.layers.size(); ++i) {
        activity.layer = static_cast<std::int16_t>(i);
        CHECK(words(activity) == "D0.real.F0, layer " + all.layers[i].name);
    }
}

TEST_CASE("a limit of less than three steps is doubted") {
    CHECK_FALSE(doubt(patience_of(std::nullopt, 1000), 1000));
    CHECK_FALSE(doubt(patience_of(0, 1000), 1000));
    CHECK_FALSE(doubt(patience_of(3, 1), 1));
    CHECK(doubt(patience_of(2, 1.05), 1.05).value() ==
          "--hang-seconds 2, but a step should take 1.05 s: a slow one may be taken for a hang. "
          "Hint: --hang-seconds 11, or auto.");
}

TEST_CASE("reports of earlier hangs are kept, and one that cannot be written is told") {
    const test::TemporaryFolder folder("hang-report");
    const civitas::runs::RunFolder run{folder.path()};
    const environment::Standstill standstill{.ranks = {{Rank{3}, {}}}, .grace_s = 2};
    const environment::Words words = [](const auto& /*activity*/) { return "works"; };
    CHECK_THAT(keep_report(run, Rank{3}, standstill, words),
               Catch::StartsWith("their last actions could not be written: ") &&
                   Catch::Contains("hang-rank-3.txt"));
    std::filesystem::create_directory(folder.path() / "log");
    for (const char* ending : {"", "2"}) {
        const auto file = run.hang(Rank{3}).string() + ending;
        CHECK_THAT(keep_report(run, Rank{3}, standstill, words),
                   Catch::StartsWith("their last actions: " + file +
                                     ". The job is ended in 2 s. "
                                     "Hint: "));
        CHECK_THAT(test::content(file), Catch::StartsWith("rank 3 ("));
    }
}

TEST_CASE("by itself a watchdog waits twenty steps, ten minutes at least") {
    CHECK(patience_of(std::nullopt, 0.3).limit_s == 600);
    CHECK(patience_of(std::nullopt, 100.2).limit_s == 2004);
    CHECK(patience_of(3, 100).limit_s == 3);
    CHECK(patience_of(0, 100).limit_s == 0);
    CHECK(patience_of(600, 1).grace_s == 10);
    CHECK(patience_of(600, 1).interval_s == 1);
    CHECK(patience_of(2, 1).grace_s == 0.5);
    CHECK(patience_of(2, 1).interval_s == Approx(0.2));
}
