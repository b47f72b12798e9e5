/// The command that trains as an offer says.
#include "configuration.hpp"
#include "ranking.hpp"

#include "civitas/base/error.hpp"

#include <sstream>

namespace civitas::train {
namespace {

/// `name = value` lines of what `plan` can be told of a task.
std::string lines_of(Task task) {
    OptionWords words;
    words.nets = task.nets.choice();
    words.coding = to_string(task.coding());
    words.precision = to_string(task.precision);
    cli::Options options("", "");
    add_nets(options, task, words);
    options.add("precision", words.precision, "");
    return options.resolved();
}

/// ` --net dcgan-64 --batch 64`: what differs from the default.
std::string options_of(const Task& task) {
    std::istringstream lines(lines_of(task));
    std::istringstream defaults(lines_of({}));
    std::string words;
    for (std::string line, usual; std::getline(lines, line) && std::getline(defaults, usual);)
        if (line != usual) words += " --" + line.erase(line.find(" ="), 2);
    return words;
}

/// `train` left to itself would place D by its own measured times, so the placement is said.
}  // namespace

std::string layout_options(const Offer& offer) {
    const Layout& layout = offer.layout;
    const comm::MeshShape mesh = offer.plan.setting.mesh;
    return text(" --mesh ", to_string(mesh),
                mesh.pipe > 1 ? text(" --schedule ", name_of(layout.schedule), " --placement ",
                                     to_string(layout.placement))
                              : "",
                layout.redraw ? " --redraw" : "", layout.recompute ? " --recompute" : "");
}

std::string command_of(const Offer& offer, const Task& task, const Resources& resources) {
    const comm::MeshShape mesh = offer.plan.setting.mesh;
    return text("mpirun -n ", mesh.size(), " --bind-to none civitas train --tiles tiles.h5",
                " --run run", layout_options(offer), options_of(task),
                resources.gpus > 0 ? " --device cuda" : "");
}

}  // namespace civitas::train
