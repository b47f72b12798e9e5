#include "command_files.hpp"
#include "commands.hpp"

#include "civitas/environment/machine.hpp"
#include "civitas/inference/evaluation.hpp"
#include "civitas/io/files.hpp"

#include <iomanip>

namespace civitas::app {
namespace {

struct EvaluateOptions {
    inference::Comparison compared;
    std::string output;
    bool overwrite = false;
    std::string config;
};

EvaluateOptions parse_evaluate(Arguments arguments, const cli::ReadFile& read) {
    EvaluateOptions o;
    cli::Options options(
        "civitas evaluate",
        "Compares plans of a generator with the test tiles of a store: cover, sliced "
        "Wasserstein distance, variety. The same figures between training and test "
        "tiles are the floor, those of shuffled pixels the other end.");
    options.add("checkpoint", o.compared.checkpoint, "run folder or checkpoint file")
        .add("tiles", o.compared.tiles, "tile store with test tiles")
        .add("count", o.compared.count, "plans and tiles compared, at most")
        .add("seed", o.compared.seed, "of the plans' noise")
        .add("output", o.output, "file for the figures, name = value lines")
        .add("overwrite", o.overwrite, "replace an output that exists")
        .required("checkpoint")
        .required("tiles");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    if (o.compared.count < 2)
        throw UsageError(text("--count ", o.compared.count, ": expected at least 2"));
    return o;
}

void add_row(std::ostream& table, const std::string& name, const inference::Figures& f) {
    table << std::left << std::setw(18) << name << std::right << std::fixed << std::setprecision(3)
          << std::setw(10) << f.building << std::setw(10) << f.road << std::setprecision(1)
          << std::setw(12) << f.distance << std::setprecision(3) << std::setw(12) << f.difference
          << '\n';
}

void add_values(std::ostream& out, const std::string& name, const inference::Figures& f) {
    out << name << ".building = " << f.building << '\n'
        << name << ".road = " << f.road << '\n'
        << name << ".distance = " << f.distance << '\n'
        << name << ".difference = " << f.difference << '\n';
}

io::CommandFiles files_of(const EvaluateOptions& o) {
    io::CommandFiles files{{{"--config", o.config}, {"--tiles", o.compared.tiles}},
                           {{"--output", o.output}},
                           o.overwrite};
    add_run(files.reads, "--checkpoint", o.compared.checkpoint);
    return files;
}

}  // namespace

Exit evaluate_command(const comm::Communicator& world, Arguments arguments) {
    const auto o = cli::agreed_options(
        world, [&](const auto& read) { return parse_evaluate(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, files_of(o));
    environment::set_threads(world, std::nullopt, log);
    const inference::Evaluation found = inference::evaluate(world, o.compared, log);
    comm::on_root(world, [&] {
        std::ostringstream table;
        table << found.count << " of each against as many test tiles\n"
              << "                    building      road    distance  difference\n";
        add_row(table, "generated plans", found.plans);
        add_row(table, "training tiles", found.real);
        add_row(table, "shuffled pixels", found.noise);
        table << "distance: sliced Wasserstein x 1000 to the test tiles; difference: mean between "
                 "two "
                 "of a row";
        log.info(table.str());
        std::ostringstream values;
        add_values(values, "plans", found.plans);
        add_values(values, "real", found.real);
        add_values(values, "noise", found.noise);
        if (!o.output.empty())
            io::write_text_file(o.output, values.str(), io::replace_if(o.overwrite));
    });
    return Exit::done;
}

}  // namespace civitas::app
