#include "program.hpp"

#include "by_rules.hpp"
#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/outputs.hpp"
#include "preprocess/survey/survey.hpp"
#include "source.hpp"
#include "store_output.hpp"
#include "tiles.hpp"

#include <filesystem>

namespace civitas::maps {
namespace {

namespace fs = std::filesystem;
using comm::Communicator;

/// A town of one style has its name, which is what a classifier of several calls its tiles.
fs::path sample_file(const Settings& settings) {
    const survey::Style style = settings.sample->style;
    return fs::path(settings.output)
        .replace_filename(style == survey::Style::mixed ? "sample.gpkg"
                                                        : text(survey::to_string(style), ".gpkg"));
}

/// All that is read and written. A map that is missing is told of when it is opened.
io::CommandFiles command_files(const Settings& settings) {
    io::CommandFiles files{
        {{"--config", settings.config}}, outputs_of(settings), settings.overwrite};
    if (settings.sample) files.writes.push_back({"the map of --sample", sample_file(settings)});
    if (are_in_file(settings.layers)) files.reads.push_back({"--layers", settings.layers});
    for (const fs::path input : settings.inputs)
        for (const auto& file : files_of(input))
            if (fs::exists(file)) files.reads.push_back({"INPUT", file});
    return files;
}

/// The built-in survey, as an input like any other.
Settings with_sample(const Communicator& ranks, Settings settings, Log& log) {
    if (!settings.sample) return settings;
    const auto survey = sample_file(settings);
    comm::agree(ranks, [&] {
        if (ranks.is_root())
            survey::write_survey(survey, *settings.sample, io::replace_if(settings.overwrite));
    });
    log.info(
        text("wrote the survey of town ", index(settings.sample->seed), " to ", survey.string()));
    settings.inputs = {survey.string()};
    return settings;
}

}  // namespace

void preprocess(const Communicator& ranks, const Settings& asked, Log& log) {
    comm::agree(ranks, [&] { validate(asked); });
    io::agree_on_outputs(ranks, [&] { return command_files(asked); });
    const auto settings = with_sample(ranks, asked, log);
    StoreOutput output(ranks, settings);
    make_tiles(ranks, settings, output, log);
    output.finish(log);
}

}  // namespace civitas::maps
