#include "civitas/inference/classification.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/data/loader.hpp"
#include "civitas/runs/class_names.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace civitas::inference {
namespace {

constexpr std::int64_t batch_tiles = 8;

std::int64_t classes_of(const TrainedNet& classifier) {
    return classifier.problem().nets.choice().classes;
}

/// What softmax makes of the logits of one tile.
Prediction told_of(TileIndex tile, std::span<const double> logits) {
    const auto largest = std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double x : logits) sum += std::exp(x - *largest);
    return {.tile = tile, .told = largest - logits.begin(), .probability = 1 / sum};
}

void require_finite(const TrainedNet& classifier, TileIndex tile, std::span<const double> logits) {
    if (std::all_of(logits.begin(), logits.end(), [](double x) { return std::isfinite(x); }))
        return;
    throw Error(text("the classifier of ", classifier.file(), " gives tile ", index(tile),
                     " logits that are not finite"),
                Hint{"an earlier checkpoint: this net has gone bad"});
}

void add_batch(Predictions& mine, const TrainedNet& classifier, const data::TileStore& store,
               const Question& question, std::span<const TileIndex> tiles) {
    const planner::Problem& problem = classifier.problem();
    const at::Tensor x_BCHW =
        data::read_tiles(store, tiles, problem.coding(), problem.nets.pixels())
            .to(classifier.options())
            .contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor logits = classifier.evaluate(x_BCHW).to(at::kDouble).contiguous();
    const auto classes = static_cast<std::size_t>(classes_of(classifier));
    for (std::size_t b = 0; b < tiles.size(); ++b) {
        const std::span row(logits.const_data_ptr<double>() + b * classes, classes);
        require_finite(classifier, tiles[b], row);
        const auto tile = static_cast<std::size_t>(index(tiles[b]));
        Prediction& told = mine.tiles.emplace_back(told_of(tiles[b], row));
        if (question.labels) {
            told.label = question.labels->of_tile.at(tile);
            told.score =
                steps::score_of(logits.narrow(0, static_cast<std::int64_t>(b), 1), told.label);
        }
        if (question.keep_logits)
            for (const double x : row) mine.logits.push_back(static_cast<float>(x));
    }
}

}  // namespace

void require_classes_of(const TrainedNet& classifier, const data::TileStore& store,
                        const data::Labels& labels) {
    if (std::ssize(labels.names) == classes_of(classifier)) return;
    throw UsageError(
        text(store.file(), " has ", counted(std::ssize(labels.names), "class", "classes"),
             ", the net of ", classifier.file(), " tells ", classes_of(classifier), " apart"),
        Hint{"the other of --labels stored and source; or --labels none, which tells "
             "predictions alone"});
}

std::vector<std::string> class_names_for(const TrainedNet& classifier, const Question& question,
                                         Log& log) {
    auto names = runs::class_names(classifier.contents().header.notes);
    const auto classes = static_cast<std::size_t>(classes_of(classifier));
    if (names.size() != classes) names.clear();
    if (names.empty() && question.labels) return question.labels->names;
    for (std::size_t c = names.size(); c < classes; ++c) names.push_back(std::to_string(c));
    if (!question.labels) return names;
    for (std::size_t c = 0; c < classes; ++c)
        if (names[c] != question.labels->names[c]) {
            log.warn(text("class ", c, " is '", printable(names[c]), "' in the checkpoint, '",
                          printable(question.labels->names[c]),
                          "' in the store; classes go by their numbers"));
            break;
        }
    return names;
}

Predictions classify(const comm::Communicator& world, const TrainedNet& classifier,
                     const data::TileStore& store, const Question& question) {
    const auto mine = comm::agree(world, [&] {
        Predictions some;
        const std::int64_t batches = (std::ssize(question.rows) + batch_tiles - 1) / batch_tiles;
        const Range my = block_range(batches, index(world.rank()), world.size());
        for (std::int64_t i = my.begin; i < my.end(); ++i) {
            const auto first = static_cast<std::size_t>(i * batch_tiles);
            const auto rest = question.rows.size() - first;
            add_batch(
                some, classifier, store, question,
                std::span(question.rows).subspan(first, std::min(rest, std::size_t{batch_tiles})));
        }
        return some;
    });
    return {world.all_gather(std::span<const Prediction>(mine.tiles)),
            world.all_gather(std::span<const float>(mine.logits))};
}

Confusion::Confusion(std::int64_t classes, const std::vector<Prediction>& predictions)
    : of_class_(static_cast<std::size_t>(classes)), told_(of_class_.size()) {
    for (const Prediction& p : predictions) {
        ++of_class_.at(static_cast<std::size_t>(p.label));
        ++told_.at(static_cast<std::size_t>(p.told));
        ++counts_[{p.label, p.told}];
    }
}

std::int64_t Confusion::at(std::int64_t real, std::int64_t told) const {
    const auto found = counts_.find({real, told});
    return found == counts_.end() ? 0 : found->second;
}

std::int64_t Confusion::of_class(std::int64_t real) const {
    return of_class_.at(static_cast<std::size_t>(real));
}

std::int64_t Confusion::told(std::int64_t told) const {
    return told_.at(static_cast<std::size_t>(told));
}

std::optional<double> Confusion::precision(std::int64_t c) const {
    if (told(c) == 0) return std::nullopt;
    return static_cast<double>(at(c, c)) / static_cast<double>(told(c));
}

std::optional<double> Confusion::recall(std::int64_t c) const {
    if (of_class(c) == 0) return std::nullopt;
    return static_cast<double>(at(c, c)) / static_cast<double>(of_class(c));
}

}  // namespace civitas::inference
