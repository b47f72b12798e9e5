#include "civitas/steps/test_scores.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/data/labels.hpp"
#include "civitas/data/loader.hpp"
#include "civitas/nn/number_types.hpp"
#include "civitas/schedule/classifier.hpp"
#include "civitas/steps/score.hpp"
#include "civitas/tasks/pipe_view.hpp"
#include "civitas/tasks/together.hpp"

#include <algorithm>

namespace civitas::steps {
namespace {

/// Tiles that are looked at together.
using Batch = std::vector<TileIndex>;

/// This replica's batches, as many on every one: who has fewer looks at some again, which are not
/// counted.
struct Batches {
    std::vector<Batch> all;
    std::size_t counted = 0;
};

Batches batches_of(const std::vector<TileIndex>& rows, Rank replica, int replicas,
                   std::int64_t size) {
    const auto count_for = [&](int of) {
        return (block_range(std::ssize(rows), of, replicas).count + size - 1) / size;
    };
    const Range mine = block_range(std::ssize(rows), index(replica), replicas);
    Batches batches;
    for (std::int64_t at = mine.begin; at < mine.end(); at += size) {
        const auto first = rows.begin() + at;
        batches.all.emplace_back(first, first + std::min(size, mine.end() - at));
    }
    batches.counted = batches.all.size();
    std::int64_t most = 0;
    for (int r = 0; r < replicas; ++r) most = std::max(most, count_for(r));
    while (std::ssize(batches.all) < most) batches.all.push_back({rows.front()});
    return batches;
}

/// Logits (B,K,1,1) of images, on all ranks of the pipe. Collective over the mesh.
class Teller {
public:
    Teller(const Run& run, const optim::ModelState& net)
        : run_(run),
          net_(net),
          gathers_(net.stage_weights() != nullptr),
          stages_(gathers_ ? std::map<StageId, nn::Stage>()
                           : net.drawing_stages(net.drawing_statistics())),
          along_(tasks::pipe_view_of(run.mesh, run.plan.layout, schedule::classifier::net,
                                     run.configuration.problem.nets[schedule::classifier::net])) {}

    [[nodiscard]] at::Tensor operator()(const Batch& tiles, const tasks::Meet& meet) const {
        const planner::Problem& problem = run_.configuration.problem;
        const at::Tensor x_BCHW =
            data::read_tiles(run_.store, tiles, problem.coding(), problem.nets.pixels())
                .to(at::TensorOptions(nn::master_type(problem.precision))
                        .device(run_.process.device))
                .contiguous(at::MemoryFormat::ChannelsLast);
        return tasks::forward_through_pipe(
            along_, x_BCHW,
            [&](StageId stage, const at::Tensor& x) {
                return gathers_ ? net_.drawing_stage(stage, net_.drawing_statistics()).evaluate(x)
                                : stages_.at(stage).evaluate(x);
            },
            meet);
    }

private:
    const Run& run_;
    const optim::ModelState& net_;
    bool gathers_;
    std::map<StageId, nn::Stage> stages_;
    tasks::PipeView along_;
};

/// Of the batches that count.
std::vector<Score> scores_of(const Teller& teller, const Batches& batches,
                             const data::Labels& labels, const tasks::Meet& meet) {
    std::vector<Score> scores;
    for (std::size_t i = 0; i < batches.all.size(); ++i) {
        const at::Tensor logits = teller(batches.all[i], meet);
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
        const Teller teller(run, state.models()[schedule::classifier::net]);
        mine = scores_of(teller, batches, data::labels_of(run.store, problem.labels), meet);
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
