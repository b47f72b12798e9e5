#include "civitas/steps/test_scores.hpp"

#include "drawing_net.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/data/labels.hpp"
#include "civitas/data/loader.hpp"
#include "civitas/schedule/classifier.hpp"
#include "civitas/steps/score.hpp"
#include "civitas/tasks/together.hpp"

#include <algorithm>

namespace civitas::steps {
namespace {

/// Tiles that are looked at together.
using Batch = std::vector<TileIndex>;

/// This replica's batches, as many on every one: who has fewer looks at some again, which are not
/// counted. Batches are numbered over all replicas, so that the same tiles are looked at together
/// on any layout, and their scores have the same bits.
struct Batches {
    std::vector<Batch> all;
    std::size_t counted = 0;
};

Batches batches_of(const std::vector<TileIndex>& rows, Rank replica, int replicas,
                   std::int64_t size) {
    const std::int64_t count = (std::ssize(rows) + size - 1) / size;
    const Range mine = block_range(count, index(replica), replicas);
    Batches batches;
    for (std::int64_t batch = mine.begin; batch < mine.end(); ++batch) {
        const auto first = rows.begin() + batch * size;
        batches.all.emplace_back(first, first + std::min(size, rows.end() - first));
    }
    batches.counted = batches.all.size();
    const std::int64_t most = (count + replicas - 1) / replicas;
    while (std::ssize(batches.all) < most) batches.all.push_back({rows.front()});
    return batches;
}

/// Logits (B,K,1,1) of tiles, on all ranks of the pipe. Collective over the mesh.
at::Tensor logits_of(const Run& run, const DrawingNet& net, const Batch& tiles,
                     const tasks::Meet& meet) {
    const planner::Problem& problem = run.configuration.problem;
    const at::Tensor x_BCHW =
        data::read_tiles(run.store, tiles, problem.coding(), problem.nets.pixels())
            .to(net.like())
            .contiguous(at::MemoryFormat::ChannelsLast);
    return net.forward(x_BCHW, meet, [](StageId, const nn::Stage& stage, const at::Tensor& x) {
        return stage.evaluate(x);
    });
}

/// Of the batches that count.
std::vector<Score> scores_of(const Run& run, const DrawingNet& net, const Batches& batches,
                             const data::Labels& labels, const tasks::Meet& meet) {
    std::vector<Score> scores;
    for (std::size_t i = 0; i < batches.all.size(); ++i) {
        const at::Tensor logits = logits_of(run, net, batches.all[i], meet);
        if (i >= batches.counted) continue;
        for (std::size_t b = 0; b < batches.all[i].size(); ++b) {
            const auto tile = static_cast<std::size_t>(batches.all[i][b]);
            scores.push_back(score_of(logits.narrow(0, static_cast<std::int64_t>(b), 1),
                                      labels.of_tile.at(tile)));
        }
    }
    return scores;
}

}  // namespace

report::TestScores test_scores(const Run& run, runs::RunState& state) {
    const auto rows = run.store.rows(data::Split::test);
    if (rows.empty()) return {};
    const comm::Communicator& replicas = run.mesh.group(Axis::data);
    std::vector<Score> mine;
    tasks::do_together(run.mesh, [&](const tasks::Meet& meet) {
        const planner::Problem& problem = run.configuration.problem;
        const auto batches =
            batches_of(rows, replicas.rank(), replicas.size(), problem.micro_batch);
        const optim::ModelState& net = state.models()[schedule::classifier::net];
        const DrawingNet drawing(run, net, schedule::classifier::net, net.drawing_statistics());
        mine = scores_of(run, drawing, batches, data::labels_of(run.store, problem.labels), meet);
    });
    return means_of(replicas.all_gather(std::span<const Score>(mine)));
}

void keep_test_scores(const Run& run, runs::RunState& state) {
    const report::TestScores scores = test_scores(run, state);
    if (scores.tiles == 0) return;
    comm::on_root(run.mesh.world(), [&] {
        run.log.info(text("test, ", report::in_words(scores)));
        report::keep_line(run.folder.test_scores(), state.steps_done(), scores);
    });
}

}  // namespace civitas::steps
