#pragma once
/// The options of `civitas train` and `civitas plan` on a command line and in a configuration file:
/// words there, checked once, and from then on the plain values of options.hpp.
#include "civitas/cli/options.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/population/members.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace civitas::app {

/// Options as they are written. They are read when all are there: --help comes before a word that
/// is not known, and config.ini says what was written.
struct OptionWords {
    planner::NetChoice nets;  ///< but for its task and coding
    std::string task = "gan";
    std::string labels = "stored";
    std::string condition = "none";
    std::string coding = "colour";
    std::string precision = "fp32";
    std::string kernels = to_string(net::KernelChoice(net::usual_kernels));
    std::string loss = "bce";
    std::string optimizer = "auto";
    std::string lr_schedule = "auto";
    std::string mesh;
    std::string schedule = "1f1b";
    std::vector<std::int64_t> stages;
    std::vector<std::int64_t> discriminator_stages;
    std::string placement = "auto";
    std::string shard = "none";
    std::string offload = "none";
    std::string weight_copies = "node";
    std::int64_t replicas = 1;
    std::string device = "cpu", cuda_graphs = "auto";
    std::string stage_devices;
    std::int64_t node_size = 0;
    std::string threads = "auto";
    std::string reduction = "tree";
    std::string update = "sync";
    std::string async_moments = "shared";
    std::string max_staleness = "auto";
    int servers = 0;
    std::string delay;
    std::string checkpoint_mode = "sync";
    std::string resume = "auto";
    std::string hang_seconds = "auto";
};

/// A command that takes the options of `train`, and others of its own.
struct OwnOptions {
    std::string program = "civitas train";
    std::string usage =
        "Trains a GAN, or a classifier, on a tile store. A run folder that already holds "
        "checkpoints "
        "is resumed.";
    std::vector<std::string> required = {"tiles", "run"};
    std::function<void(cli::Options&)> declare = {};  ///< its own; none for nothing
};

/// Throws UsageError or cli::HelpRequested. `settings` go before the command line and the file.
[[nodiscard]] planner::Configuration parse_configuration(
    int argc, const char* const* argv, const cli::ReadFile& read = cli::read_file,
    const std::vector<population::Setting>& settings = {}, const OwnOptions& own = {});

/// The options that `train` and `plan` share: what the nets and batches are, what updates
/// them, how stages are run, and what is copied.
void add_nets(cli::Options& options, planner::Problem& problem, OptionWords& words);
[[nodiscard]] OptimizerKind optimizer_of(const OptionWords& words);  ///< throws UsageError
void add_optimizer(cli::Options& options, planner::Hyperparameters& hyperparameters,
                   OptionWords& words);
void add_stages(cli::Options& options, OptionWords& words);
void add_checkpoint_mode(cli::Options& options, OptionWords& words);

/// What `plan` reads of the words. Throw UsageError for one that is not known; for nets that cannot
/// be; for a table of the user's that cannot be read, and for options beside it that it decides.
void read_problem(planner::Problem& problem, const OptionWords& words);
void read_stages(planner::LayoutOptions& layout_options, const OptionWords& words,
                 const cli::ReadFile& read);

}  // namespace civitas::app
