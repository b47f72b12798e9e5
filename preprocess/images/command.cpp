#include "command.hpp"

#include "civitas/base/error.hpp"
#include "civitas/cli/program.hpp"
#include "civitas/io/outputs.hpp"
#include "opened.hpp"
#include "preprocess/maps/program.hpp"
#include "preprocess/maps/store_output.hpp"

#include <filesystem>

namespace civitas::images {
namespace {

/// All that is read and written. What is missing is told of when it is opened.
io::CommandFiles command_files(const maps::Settings& s) {
    io::CommandFiles files{{{"--config", s.config}}, maps::outputs_of(s), s.overwrite};
    if (std::filesystem::exists(s.images)) files.reads.push_back({"--images", s.images});
    for (const std::string& file : s.cifar)
        if (std::filesystem::exists(file)) files.reads.push_back({"--cifar", file});
    return files;
}

}  // namespace

void preprocess_images(const comm::Communicator& ranks, const maps::Settings& settings, Log& log) {
    comm::agree(ranks, [&] { validate(settings); });
    io::agree_on_outputs(ranks, [&] { return command_files(settings); });
    maps::Gdal gdal;
    const Opened opened = settings.images.empty() ? open_cifar(ranks, settings)
                                                  : open_folder(ranks, settings, gdal, log);
    log.info(summary(opened));
    maps::StoreOutput output(ranks, settings);
    output.explain({.said = {summary(opened)}, .left_out = opened.header.dropped});
    store_images(ranks, *opened.images, opened.header, output, log);
    output.finish(log);
}

Exit preprocess_command(const comm::Communicator& ranks, int argc, char** argv) {
    Log log(ranks.rank());
    const auto settings = cli::agreed_options(
        ranks, [&](const auto& read) { return maps::read_settings(argc, argv, read); });
    if (settings.reads_images())
        preprocess_images(ranks, settings, log);
    else
        maps::preprocess(ranks, settings, log);
    return Exit::done;
}

}  // namespace civitas::images
