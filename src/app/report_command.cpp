#include "command_files.hpp"
#include "commands.hpp"

#include "civitas/environment/machine.hpp"
#include "civitas/inference/evaluation.hpp"
#include "civitas/inference/report_output.hpp"
#include "civitas/io/files.hpp"
#include "civitas/run_report/run_report.hpp"
#include "civitas/run_report/tensorboard.hpp"

#include <set>

namespace civitas::app {
namespace {

struct ReportOptions {
    std::vector<std::string> runs;
    std::string output;
    std::string tensorboard;
    inference::Comparison compared;  ///< without tiles: plans are not compared
    bool overwrite = false;
    std::string config;
};

ReportOptions parse_report(Arguments arguments, const cli::ReadFile& read) {
    ReportOptions o;
    cli::Options options("civitas report",
                         "civitas report RUN... --output FILE.html\nWrites one HTML page of a run, "
                         "which needs nothing but itself: losses, "
                         "speed and memory by step, sheets of plans, what was planned and what "
                         "measured, checkpoints, configuration. Of several runs: the same beside "
                         "each other.");
    options.positional("run", o.runs, "run folder; of several a comparison")
        .add("output", o.output, "HTML file to write")
        .add("tensorboard", o.tensorboard,
             "folder of event files: what steps have told, and the sheets, for TensorBoard")
        .add("tiles", o.compared.tiles,
             "tile store: the plans of one run's newest checkpoint are compared with its test "
             "tiles, as `civitas evaluate` does")
        .add("count", o.compared.count, "plans and tiles compared, at most")
        .add("overwrite", o.overwrite, "replace outputs that exist")
        .goes_with("tiles", "output")
        .goes_with("count", "tiles");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    if (o.runs.empty() || o.runs.size() > run_report::most_runs)
        throw UsageError(
            text("expected 1 to ", run_report::most_runs, " run folders, got ", o.runs.size()),
            Hint{"civitas report RUN --output report.html"});
    if (o.output.empty() && o.tensorboard.empty())
        throw UsageError("neither --output nor --tensorboard is given",
                         Hint{"--output report.html for a page"});
    std::set<std::string> names;
    for (const std::string& run : o.runs)
        if (!names.insert(run_report::name_of(run)).second)
            throw UsageError(
                text("two runs are called '", run_report::name_of(run), "'"),
                Hint{"a page, and TensorBoard, tell runs apart by their folders' names"});
    if (!o.compared.tiles.empty() && o.runs.size() > 1)
        throw UsageError("--tiles goes with one run",
                         Hint{"`civitas evaluate` compares the plans of each"});
    o.compared.checkpoint = o.runs.front();
    inference::check(o.compared);
    return o;
}

/// Where the event file of a run is written; nowhere without --tensorboard.
std::filesystem::path events_of(const ReportOptions& o, const std::filesystem::path& run) {
    return o.tensorboard.empty() ? ""
                                 : std::filesystem::path(o.tensorboard) / run_report::name_of(run);
}

io::CommandFiles files_of(const ReportOptions& o) {
    io::CommandFiles files{{{"--config", o.config}, {"--tiles", o.compared.tiles}},
                           {{"--output", o.output, {io::FileFormat::html}}},
                           o.overwrite};
    for (const std::string& run : o.runs) {
        add_run(files, "RUN", run);
        files.folders.push_back({"--tensorboard", events_of(o, run)});
    }
    return files;
}

/// Nothing where plans are not compared. Collective.
std::vector<report::Section> evaluation_of(const comm::Communicator& world, const ReportOptions& o,
                                           Log& log) {
    if (o.compared.tiles.empty()) return {};
    const quality::Report found = inference::report_on(world, o.compared, log);
    return world.is_root() ? inference::sections_of(found) : std::vector<report::Section>{};
}

}  // namespace

Exit report_command(const comm::Communicator& world, Arguments arguments) {
    const auto o =
        cli::agreed_options(world, [&](const auto& read) { return parse_report(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, [&] { return files_of(o); });
    environment::set_threads(world, std::nullopt, log);
    std::vector<run_report::RunContents> runs;
    comm::on_root(world, [&] {
        for (const std::string& run : o.runs) runs.push_back(run_report::read_run(run));
    });
    const auto evaluation = evaluation_of(world, o, log);
    comm::on_root(world, [&] {
        for (const auto& run : runs)
            if (const auto folder = events_of(o, run.folder); !folder.empty())
                log.info("wrote " + run_report::write_event_file(run, folder, log).string());
        if (o.output.empty()) return;
        io::write_text_file(
            o.output,
            runs.size() == 1 ? to_page(runs.front(), evaluation) : run_report::to_page(runs),
            io::replace_if(o.overwrite));
        log.info("wrote " + o.output);
    });
    return Exit::done;
}

}  // namespace civitas::app
