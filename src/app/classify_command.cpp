#include "command_files.hpp"
#include "commands.hpp"

#include "civitas/base/names.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/inference/classification_text.hpp"
#include "civitas/io/files.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace civitas::app {
namespace {

struct ClassifyOptions {
    std::string checkpoint;
    std::string tiles;
    std::string split = "test";
    std::string labels;
    std::string output;
    std::string confusion;
    bool logits = false;
    bool overwrite = false;
    std::string config;
};

/// None stands for both.
std::optional<data::Split> split_of(const ClassifyOptions& o) {
    static constexpr std::array<NamedValue<std::optional<data::Split>>, 3> splits{
        {{"test", data::Split::test}, {"train", data::Split::train}, {"all", std::nullopt}}};
    return value_named(o.split, "split", splits);
}

/// As the net was trained where nothing is said, none where none is wanted.
std::optional<LabelSource> labels_of(const ClassifyOptions& o, LabelSource trained) {
    static constexpr std::array<NamedValue<std::optional<LabelSource>>, 3> sources{
        {{"stored", LabelSource::stored}, {"source", LabelSource::source}, {"none", std::nullopt}}};
    return o.labels.empty() ? trained : value_named(o.labels, "source of labels", sources);
}

void check(const ClassifyOptions& o) {
    (void)split_of(o);
    (void)labels_of(o, LabelSource::stored);
    if (o.labels == "none" && !o.confusion.empty())
        throw UsageError("--confusion is given, but --labels none says no classes",
                         Hint{"--labels stored, or leave --confusion out"});
    if (o.labels == "none" && o.output.empty())
        throw UsageError("--labels none, and no --output: nothing would be told",
                         Hint{"--output predictions.csv"});
}

ClassifyOptions parse_classify(Arguments arguments, const cli::ReadFile& read) {
    ClassifyOptions o;
    cli::Options options("civitas classify",
                         "Tells the classes of tiles by a trained classifier. The ranks share the "
                         "tiles.");
    options.add("checkpoint", o.checkpoint, "run folder or checkpoint file")
        .add("tiles", o.tiles, "tile store to tell the classes of")
        .add("split", o.split, "test, train or all")
        .add("labels", o.labels,
             "what the classes really are: stored, source, or none (empty: as it was trained)")
        .add("output", o.output, "CSV file of what is told of each tile")
        .add("confusion", o.confusion, "CSV file of tiles by their class and the one told")
        .add("logits", o.logits, "a column for each class in the output")
        .add("overwrite", o.overwrite, "replace outputs that exist")
        .goes_with("logits", "output")
        .required("checkpoint")
        .required("tiles");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    check(o);
    return o;
}

io::CommandFiles files_of(const ClassifyOptions& o) {
    io::CommandFiles files{{{"--config", o.config}, {"--tiles", o.tiles}},
                           {{"--output", o.output, {io::FileFormat::csv}},
                            {"--confusion", o.confusion, {io::FileFormat::csv}}},
                           o.overwrite};
    add_run(files, "--checkpoint", o.checkpoint);
    return files;
}

std::vector<TileIndex> rows_of(const data::TileStore& store, const ClassifyOptions& o) {
    std::vector<TileIndex> rows;
    for (const data::Split split : {data::Split::train, data::Split::test})
        if (split_of(o).value_or(split) == split)
            for (const TileIndex row : store.rows(split)) rows.push_back(row);
    std::sort(rows.begin(), rows.end());
    if (rows.empty())
        throw UsageError(text("--split ", o.split, ": ", o.tiles, " has none of its ", store.size(),
                              " tiles there"),
                         Hint{"--split all"});
    return rows;
}

inference::Question question_of(const inference::TrainedNet& net, const data::TileStore& store,
                                const ClassifyOptions& o) {
    inference::Question question{.rows = rows_of(store, o), .keep_logits = o.logits};
    data::require_coding(store, net.problem().coding());
    const auto source = labels_of(o, net.problem().labels);
    if (!source) return question;
    question.labels = data::classes_of_tiles(store, *source);
    inference::require_classes_of(net, store, *question.labels);
    return question;
}

}  // namespace

Exit classify_command(const comm::Communicator& world, Arguments arguments) {
    const auto o = cli::agreed_options(
        world, [&](const auto& read) { return parse_classify(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, [&] { return files_of(o); });
    environment::set_threads(world, std::nullopt, log);
    (void)environment::agreed_instruction_set(world);
    const auto net =
        inference::TrainedNet::load(world, o.checkpoint, inference::classifier_of, log);
    const auto store = data::TileStore::open(world, o.tiles);
    const auto question = comm::agree(world, [&] { return question_of(net, store, o); });
    const auto names = inference::class_names_for(net, question, log);
    const auto told = inference::classify(world, net, store, question);
    comm::on_root(world, [&] {
        if (question.labels) log.info(inference::report_of(told.tiles, names));
        const auto write = [&](const std::string& file, const std::string& csv) {
            io::write_text_file(file, csv, io::replace_if(o.overwrite));
            log.info("wrote " + file);
        };
        if (!o.output.empty()) write(o.output, inference::csv_of(told, store, names));
        if (!o.confusion.empty() && question.labels)
            write(o.confusion,
                  inference::csv_of(inference::Confusion(std::ssize(names), told.tiles), names));
    });
    return Exit::done;
}

}  // namespace civitas::app
