#include "program.hpp"

#include "civitas/base/error.hpp"
#include "civitas/cli/program.hpp"
#include "civitas/io/outputs.hpp"
#include "preprocess/survey/survey.hpp"
#include "preview.hpp"
#include "source.hpp"
#include "tiles.hpp"

#include <filesystem>
#include <optional>

namespace civitas::maps {
namespace {

namespace fs = std::filesystem;
using comm::Communicator;

fs::path sample_file(const Settings& settings) {
    return fs::path(settings.output).replace_filename("sample.gpkg");
}

/// All that is read and written. A map that is missing is told of when it is opened.
io::CommandFiles command_files(const Settings& settings) {
    io::CommandFiles files{{{"--config", settings.config}},
                           {{"--output", settings.output}, {"--preview", settings.preview}},
                           settings.overwrite};
    if (settings.sample) files.writes.push_back({"the map of --sample", sample_file(settings)});
    for (const fs::path input : settings.inputs)
        if (fs::exists(input))
            for (const auto& file : files_of(input)) files.reads.push_back({"INPUT", file});
    return files;
}

/// The built-in survey, as an input like any other.
Settings with_sample(const Communicator& ranks, Settings settings, Log& log) {
    if (!settings.sample) return settings;
    const auto survey = sample_file(settings);
    comm::agree(ranks, [&] {
        if (ranks.is_root())
            survey::write_survey(survey, Seed{*settings.sample},
                                 io::replace_if(settings.overwrite));
    });
    log.info(text("wrote the survey of town ", *settings.sample, " to ", survey.string()));
    settings.inputs = {survey.string()};
    return settings;
}

/// The store and its preview.
class StoreOutput : public TileSink {
public:
    StoreOutput(const Communicator& ranks, const Settings& settings)
        : ranks_(ranks), settings_(settings) {}

    void begin(const data::StoreHeader& header, std::int64_t tiles) override {
        store_.emplace(ranks_, settings_.output, header, tiles, replace());
        if (!settings_.preview.empty()) preview_.emplace(ranks_, tiles, header.pixels);
    }
    void take(std::span<const data::TileRecord> records,
              std::span<const data::PackedTile> tiles) override {
        store_->append(records, tiles);
        if (preview_) preview_->take(tiles);
    }
    /// After the last tile. Collective; throws AgreedError.
    void finish(Log& log) {
        store_->close();
        log.info(text("wrote ", settings_.output));
        if (!preview_) return;
        preview_->write(settings_.preview, replace());
        log.info(text("wrote ", settings_.preview));
    }

private:
    [[nodiscard]] io::Replace replace() const { return io::replace_if(settings_.overwrite); }

    const Communicator& ranks_;
    const Settings& settings_;
    std::optional<data::StoreWriter> store_;
    std::optional<Preview> preview_;
};

}  // namespace

void preprocess(const Communicator& ranks, const Settings& asked, Log& log) {
    comm::agree(ranks, [&] { validate(asked); });
    io::agree_on_outputs(ranks, comm::agree(ranks, [&] { return command_files(asked); }));
    const auto settings = with_sample(ranks, asked, log);
    StoreOutput output(ranks, settings);
    make_tiles(ranks, settings, output, log);
    output.finish(log);
}

Exit preprocess_command(const Communicator& ranks, int argc, char** argv) {
    Log log(ranks.rank());
    const auto settings = cli::agreed_options(
        ranks, [&](const auto& read) { return read_settings(argc, argv, read); });
    preprocess(ranks, settings, log);
    return Exit::done;
}

}  // namespace civitas::maps
