#pragma once
/// Trains one strategy at a time by the ranks of a job.
#include "civitas/compare/figures.hpp"
#include "civitas/data/tile_store.hpp"

#include "civitas/base/exit.hpp"
#include "civitas/base/log.hpp"
#include "civitas/base/signals.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace civitas::compare {

/// What came of a training; of the ranks but the root only whether it stopped or failed.
struct Attempt {
    bool stopped = false;             ///< a signal asks all to stop
    std::string error = {};           ///< nothing where it went well
    std::string hint = {};            ///< of the error
    bool usage = false;               ///< the error is one of what was asked for
    std::optional<Round> round = {};  ///< root only
};

class Runner {
public:
    /// `base`: what all strategies have in common. `scratch`: a folder that all ranks see, for run
    /// folders. Collective; throws AgreedError for tiles that cannot be opened.
    Runner(const comm::Communicator& world, const planner::Configuration& base,
           std::filesystem::path scratch, StopSignals& signals);

    /// Trains from the first step to the last, by the first ranks; the others sleep. Collective.
    [[nodiscard]] Attempt train(const Strategy& strategy);
    /// What the layers took on so many ranks, as the text of a run's profile.json; empty where no
    /// run has told. Root only.
    [[nodiscard]] std::string profile_of(const Strategy& strategy) const;

private:
    /// How it ended on this rank.
    struct Ended {
        Exit exit = Exit::done;
        std::string error = {};  ///< with its hint
        bool usage = false;
        int threads = 0;
    };
    [[nodiscard]] planner::Configuration configuration_of(const Strategy& strategy) const;
    [[nodiscard]] Ended train_here(const comm::Communicator& ranks, const Strategy& strategy);
    [[nodiscard]] Exit train_models(const comm::Communicator& ranks, const Strategy& strategy,
                                    planner::Configuration c, Log& log);
    /// Folders of the models of a strategy.
    [[nodiscard]] std::vector<std::filesystem::path> folders_of(const Strategy& strategy) const;
    /// Lets no layer be timed twice. Root only, as what follows.
    void bring_profile(const Strategy& strategy) const;
    void keep_profile(const Strategy& strategy);
    [[nodiscard]] Round read_round(const Strategy& strategy, int threads) const;

    const comm::Communicator& world_;
    const planner::Configuration& base_;
    std::filesystem::path scratch_;
    StopSignals& signals_;
    data::TileStore store_;
    std::map<std::string, std::string> profiles_;  ///< texts, by what they are of
};

}  // namespace civitas::compare
