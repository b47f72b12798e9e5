#include "command_files.hpp"
#include "commands.hpp"

#include "civitas/environment/machine.hpp"
#include "civitas/inference/evaluation.hpp"
#include "civitas/inference/report_output.hpp"
#include "civitas/io/files.hpp"

#include <filesystem>

namespace civitas::app {
namespace {

struct EvaluateOptions {
    inference::Comparison compared;
    std::string output;
    std::string page;
    bool overwrite = false;
    std::string config;
};

EvaluateOptions parse_evaluate(Arguments arguments, const cli::ReadFile& read) {
    EvaluateOptions o;
    cli::Options options(
        "civitas evaluate",
        "Compares plans of a generator, or the tiles of a store, with the test tiles of a store: "
        "cover, sliced Wasserstein distance, variety, landscape indices, buildings, roads, blocks, "
        "copies. The same figures between training and test tiles are the floor, those of shuffled "
        "pixels the other end.");
    options.add("checkpoint", o.compared.checkpoint, "run folder or checkpoint file")
        .add("plans", o.compared.plans, "in its place: store of generated plans, or of tiles")
        .add("tiles", o.compared.tiles, "tile store with test tiles")
        .add("count", o.compared.count, "plans and tiles compared, at most")
        .add("seed", o.compared.seed, "of the plans' noise")
        .add("pixels", o.compared.pixels,
             "side of the tiles of two stores as they are compared (0: 64, or an eighth of "
             "larger tiles)")
        .add("output", o.output, "file for the figures: NAME.json, or else name = value lines")
        .add("page", o.page, "HTML page of its own, with charts")
        .add("overwrite", o.overwrite, "replace outputs that exist")
        .goes_with("pixels", "plans")
        .goes_with("seed", "checkpoint")
        .required("tiles");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    inference::check(o.compared);
    return o;
}

io::CommandFiles files_of(const EvaluateOptions& o) {
    using enum io::FileFormat;
    io::CommandFiles files{
        {{"--config", o.config}, {"--tiles", o.compared.tiles}, {"--plans", o.compared.plans}},
        {{"--output", o.output, {json, text}}, {"--page", o.page, {html}}},
        o.overwrite};
    if (!o.compared.checkpoint.empty()) add_run(files, "--checkpoint", o.compared.checkpoint);
    return files;
}

void write(const EvaluateOptions& o, const quality::Report& report) {
    const inference::ReportSubject subject{
        o.compared.plans.empty() ? o.compared.checkpoint : o.compared.plans, o.compared.tiles};
    const auto replace = io::replace_if(o.overwrite);
    const bool json = io::format_of(o.output) == io::FileFormat::json;
    if (!o.output.empty())
        io::write_text_file(o.output, json ? to_json(report, subject) : inference::to_lines(report),
                            replace);
    if (!o.page.empty()) io::write_text_file(o.page, to_page(report, subject), replace);
}

}  // namespace

Exit evaluate_command(const comm::Communicator& world, Arguments arguments) {
    const auto o = cli::agreed_options(
        world, [&](const auto& read) { return parse_evaluate(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, [&] { return files_of(o); });
    environment::set_threads(world, std::nullopt, log);
    const quality::Report report = inference::report_on(world, o.compared, log);
    comm::on_root(world, [&] {
        log.info(inference::to_text(report));
        write(o, report);
    });
    return Exit::done;
}

}  // namespace civitas::app
