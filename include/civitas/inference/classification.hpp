#pragma once
/// What a classifier tells of tiles.
#include "civitas/base/log.hpp"
#include "civitas/data/labels.hpp"
#include "civitas/inference/trained_net.hpp"
#include "civitas/steps/score.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace civitas::inference {

/// Of one tile.
struct Prediction {
    TileIndex tile{};
    std::int64_t label = -1;  ///< its class, -1 where nobody says
    std::int64_t told = 0;    ///< the class of the largest logit, the first of equals
    double probability = 0;   ///< of the class that is told, by softmax
    steps::Score score = {};  ///< zeros without a class
};

struct Predictions {
    std::vector<Prediction> tiles;  ///< in the order of the rows
    std::vector<float> logits;      ///< a row of the classes for each, where they are kept
};

/// What is asked of the tiles of a store.
struct Question {
    std::vector<TileIndex> rows;
    std::optional<data::Labels> labels = {};
    bool keep_logits = false;
};

/// Throws UsageError, with a hint, where the net tells another number of classes apart than the
/// labels have.
void require_classes_of(const TrainedNet& classifier, const data::TileStore& store,
                        const data::Labels& labels);

/// What the classes are called: as the checkpoint says, else the labels, else by their numbers. A
/// warning where checkpoint and labels differ.
[[nodiscard]] std::vector<std::string> class_names_for(const TrainedNet& classifier,
                                                       const Question& question, Log& log);

/// Tells the classes of tiles, coded as the net learnt them. The ranks share the tiles by batches
/// that do not depend on how many ranks there are. All ranks get all. Collective; throws
/// AgreedError, also for logits that are not finite.
[[nodiscard]] Predictions classify(const comm::Communicator& world, const TrainedNet& classifier,
                                   const data::TileStore& store, const Question& question);

/// Counts of tiles by their class and the class told. Holds those that are not 0: at most as many
/// as tiles, however many classes there are.
class Confusion {
public:
    /// The class of a tile, and the one that is told.
    struct Classes {
        std::int64_t real = 0, told = 0;
        friend auto operator<=>(const Classes&, const Classes&) = default;
    };

    Confusion(std::int64_t classes, const std::vector<Prediction>& predictions);
    [[nodiscard]] std::int64_t classes() const noexcept { return std::ssize(of_class_); }
    [[nodiscard]] std::int64_t at(std::int64_t real, std::int64_t told) const;
    /// Those that are not 0, by the class of the tiles, then by the one that is told.
    [[nodiscard]] const std::map<Classes, std::int64_t>& counts() const noexcept { return counts_; }
    [[nodiscard]] std::int64_t of_class(std::int64_t real) const;  ///< tiles of a class
    [[nodiscard]] std::int64_t told(std::int64_t told) const;      ///< tiles told to be of one
    /// Share of the tiles told to be of a class that are; none where none are told to be.
    [[nodiscard]] std::optional<double> precision(std::int64_t c) const;
    /// Share of a class' tiles that are told to be; none where it has none.
    [[nodiscard]] std::optional<double> recall(std::int64_t c) const;

private:
    std::map<Classes, std::int64_t> counts_;
    std::vector<std::int64_t> of_class_, told_;
};

}  // namespace civitas::inference
