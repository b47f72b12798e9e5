#include "command_files.hpp"
#include "commands.hpp"
#include "evaluation.hpp"
#include "trained_generator.hpp"

#include "civitas/base/random.hpp"
#include "civitas/data/loader.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/io/files.hpp"
#include "civitas/quality/evaluation.hpp"
#include "civitas/steps/drawing.hpp"

#include <iomanip>

namespace civitas::app {
namespace {

struct EvaluateOptions {
    Comparison compared;
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

/// `count` of the rows, evenly spread.
std::vector<TileIndex> spread(const std::vector<TileIndex>& rows, std::int64_t count) {
    std::vector<TileIndex> some;
    for (std::int64_t i = 0; i < count; ++i)
        some.push_back(rows[static_cast<std::size_t>(i * std::ssize(rows) / count)]);
    return some;
}

/// The same images with their pixels in random order: equal cover, no structure.
quality::ImageSet shuffled(const quality::ImageSet& images, Seed seed) {
    quality::ImageSet noise = images;
    const auto area = static_cast<std::size_t>(images.pixels * images.pixels);
    for (std::size_t plane = 0; plane * area < noise.values_BCHW.size(); ++plane) {
        const auto image = plane / static_cast<std::size_t>(images.channels);
        const Permutation order(area, RandomStream(seed, Purpose::metric, {1, image}));
        for (std::size_t i = 0; i < area; ++i)
            noise.values_BCHW[plane * area + i] = images.values_BCHW[plane * area + order(i)];
    }
    return noise;
}

Figures figures(const quality::ImageSet& set, const quality::ImageSet& test, Seed seed) {
    const bool colour = set.channels == 3;
    return {quality::mean_cover(set, 0), colour ? quality::mean_cover(set, 1) : 0,
            quality::sliced_wasserstein(set, test, seed), quality::mean_pairwise_difference(set)};
}

void add_row(std::ostream& table, const std::string& name, const Figures& f) {
    table << std::left << std::setw(18) << name << std::right << std::fixed << std::setprecision(3)
          << std::setw(10) << f.building << std::setw(10) << f.road << std::setprecision(1)
          << std::setw(12) << f.distance << std::setprecision(3) << std::setw(12) << f.difference
          << '\n';
}

void add_values(std::ostream& out, const std::string& name, const Figures& f) {
    out << name << ".building = " << f.building << '\n'
        << name << ".road = " << f.road << '\n'
        << name << ".distance = " << f.distance << '\n'
        << name << ".difference = " << f.difference << '\n';
}

/// Equal numbers of plans, test tiles and training tiles.
struct Sets {
    quality::ImageSet plans, test, train;
};

Sets draw_and_read(const TrainedGenerator& generator, const data::TileStore& store,
                   const Comparison& o) {
    const auto test = store.rows(data::Split::test);
    const auto train = store.rows(data::Split::train);
    const std::int64_t count = std::min({o.count, std::ssize(test), std::ssize(train)});
    if (count < 2)
        throw Error(text(o.tiles, " has ", test.size(), " test and ", train.size(),
                         " training tiles, at least 2 of each are needed"),
                    Hint{"civitas-preprocess --test-share 0.1"});
    const auto coding = generator.problem().coding();
    const auto read = [&](const std::vector<TileIndex>& rows) {
        return steps::image_set(data::read_tiles(store, spread(rows, count), coding,
                                                 generator.problem().nets.pixels()));
    };
    return {steps::image_set(generator.draw(Seed{o.seed}, {0, count})), read(test), read(train)};
}

io::CommandFiles files_of(const EvaluateOptions& o) {
    io::CommandFiles files{{{"--config", o.config}, {"--tiles", o.compared.tiles}},
                           {{"--output", o.output}},
                           o.overwrite};
    add_run(files.reads, "--checkpoint", o.compared.checkpoint);
    return files;
}

}  // namespace

Evaluation evaluate(const comm::Communicator& world, const Comparison& o, Log& log) {
    const auto generator = TrainedGenerator::load(world, o.checkpoint, log);
    const auto store = data::TileStore::open(world, o.tiles);
    comm::agree(world, [&] { data::require_classes(store); });
    Evaluation found;
    comm::on_root(world, [&] {
        const Sets sets = draw_and_read(generator, store, o);
        const Seed seed{o.seed};
        found = {sets.plans.count, figures(sets.plans, sets.test, seed),
                 figures(sets.train, sets.test, seed),
                 figures(shuffled(sets.test, seed), sets.test, seed)};
    });
    return found;
}

Exit evaluate_command(const comm::Communicator& world, Arguments arguments) {
    const auto o = cli::agreed_options(
        world, [&](const auto& read) { return parse_evaluate(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, files_of(o));
    environment::set_threads(world, std::nullopt, log);
    const Evaluation found = evaluate(world, o.compared, log);
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
