#include "bounds.hpp"
#include "commands.hpp"
#include "configuration.hpp"
#include "machine_file.hpp"

#include "civitas/compare/compare.hpp"
#include "civitas/compare/train_words.hpp"

namespace civitas::app {
namespace {

struct CompareWords {
    compare::Request request;
    std::int64_t rounds = 3;
    std::int64_t ranks = 0;
};

void declare(cli::Options& options, CompareWords& words) {
    compare::Request& r = words.request;
    options.section("Comparison")
        .add("strategies", r.strategies,
             "names, apart by commas: one-process,data,naive,gpipe,shard,... (empty: all)")
        .add("placements", r.placements,
             "where naive model parallelism cuts: blocks of each stage, 3,2/2,3 (empty: balanced, "
             "and both ends)")
        .add("rounds", words.rounds, "in which every strategy has its turn")
        .add("output", r.output, "name of the files NAME.json and NAME.html")
        .add("machine", r.machine_file, "file of a machine to predict for: see civitas plan")
        .add("ranks", words.ranks, "predict for so many ranks, train nothing (0: train)");
}

compare::Request parsed(Arguments arguments, const cli::ReadFile& read) {
    CompareWords words;
    compare::Request& r = words.request;
    compare::refuse_own_choices(arguments.count, arguments.words);
    r.configuration = parse_configuration(
        arguments.count, arguments.words, read, {},
        {.program = "civitas compare",
         .usage = "Trains by every strategy that fits the ranks, in turn, and says which to take.\n"
                  "Takes the options of civitas train that say what is learnt, and how. Those that "
                  "a strategy\nsets itself, and those of what a run keeps, are refused here, and "
                  "passed over in a "
                  "file. Without\n--steps a training has 10.",
         .required = {},
         .declare = [&](cli::Options& options) { declare(options, words); }});
    r.rounds = checked("rounds", words.rounds, 1, 1000);
    r.ranks = checked("ranks", words.ranks, 0, 1024);
    if (r.ranks > 0) compare::refuse_of_trainings(arguments.count, arguments.words);
    if (r.configuration.run_options.steps == 0 && r.ranks == 0)
        r.configuration.run_options.steps = 10;
    r.overwrite = r.configuration.run_options.overwrite;
    r.words = compare::train_words(arguments.count, arguments.words);
    if (!r.machine_file.empty()) r.machine = read_resources(r.machine_file, read);
    return std::move(words.request);
}

}  // namespace

Exit compare_command(const comm::Communicator& world, Arguments arguments, StopSignals& signals) {
    return compare::run(
        world,
        cli::agreed_options(world, [&](const auto& read) { return parsed(arguments, read); }),
        signals);
}

}  // namespace civitas::app
