#include "commands.hpp"

#include "civitas/base/log.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/inference/state_dict.hpp"
#include "civitas/io/outputs.hpp"
#include "civitas/net/classifiers.hpp"
#include "civitas/runs/class_names.hpp"

#include <optional>

namespace civitas::app {
namespace {

struct ImportOptions {
    std::string from;
    std::string net;
    std::int64_t pixels = 0;
    std::string coding;
    std::string names;
    std::string to;
    bool overwrite = false;
    std::string config;
};

std::optional<std::int64_t> pixels_of(const ImportOptions& o) {
    if (o.pixels == 0) return std::nullopt;
    return o.pixels;
}

std::optional<Coding> coding_of(const ImportOptions& o) {
    if (o.coding.empty()) return std::nullopt;
    return parse_coding(o.coding);
}

ImportOptions parse_import(Arguments arguments, const cli::ReadFile& read) {
    ImportOptions o;
    cli::Options options("civitas import",
                         "Makes a checkpoint of a state dict of PyTorch: a safetensors file with "
                         "the names and shapes of torchvision's models.");
    options.add("from", o.from, "safetensors file to read")
        .add("net", o.net, "classifier: vgg-11, vgg-16, resnet-18 or resnet-50")
        .add("pixels", o.pixels, "side of its images (0: what the file says, else 224)")
        .add("coding", o.coding, "of its images: rgb, colour or grey; what the file says, else rgb")
        .add("names", o.names, "text file of the classes' names, a line each")
        .add("to", o.to, "checkpoint to write")
        .add("overwrite", o.overwrite, "replace an output that exists")
        .required("from")
        .required("net")
        .required("to");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    constexpr std::int64_t any_classes = 1000;  // the file says how many
    (void)net::classifier(o.net, channels_of(coding_of(o).value_or(Coding::rgb)),
                          pixels_of(o).value_or(inference::usual_pixels), any_classes);
    return o;
}

}  // namespace

Exit import_command(const comm::Communicator& world, Arguments arguments) {
    const auto o =
        cli::agreed_options(world, [&](const auto& read) { return parse_import(arguments, read); });
    Log log(world.rank());
    io::CommandFiles files{{{"--config", o.config}, {"--from", o.from}, {"--names", o.names}},
                           {{"--to", o.to, {io::FileFormat::hdf5}}},
                           o.overwrite};
    io::agree_on_outputs(world, [&] { return files; });
    comm::on_root(world, [&] {
        const auto names =
            o.names.empty() ? std::vector<std::string>{} : runs::class_names_in(o.names);
        const auto made = inference::import_state_dict(
            {o.from, o.net, pixels_of(o), coding_of(o), names}, o.to, io::replace_if(o.overwrite));
        log.info(text("wrote ", o.to, ": ", o.net, " of ", made.classes, " classes, images of ",
                      made.pixels, " px, coding ", to_string(made.coding)));
    });
    return Exit::done;
}

}  // namespace civitas::app
