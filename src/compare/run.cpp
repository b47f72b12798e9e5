#include "civitas/compare/compare.hpp"
#include "civitas/compare/output.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/outputs.hpp"
#include "civitas/steps/objectives.hpp"

#include <iostream>

namespace civitas::compare {
namespace {

constexpr std::int64_t least_steps = 2;

/// The output's name without an extension that one of the files will have.
std::string stem_of(const Request& request) {
    std::filesystem::path name = request.output;
    const auto format = io::format_of(name);
    if (format == io::FileFormat::json || format == io::FileFormat::html) name.replace_extension();
    return name.string();
}

io::CommandFiles files_of(const Request& request) {
    const planner::Configuration& c = request.configuration;
    return {{{"--config", c.file},
             {"--tiles", request.ranks == 0 ? c.run_options.tiles : ""},
             {"--machine", request.machine_file}},
            {{"--output", json_file(request)}, {"--output", page_file(request)}},
            request.overwrite};
}

void check(const Request& request) {
    const planner::RunOptions& o = request.configuration.run_options;
    const std::filesystem::path name = std::filesystem::path(request.output).filename();
    if (request.output.empty())
        throw UsageError("--output is empty: it names the files NAME.json and NAME.html",
                         Hint{"--output comparison"});
    if (name.empty() || name == "." || name == "..")
        throw UsageError(text("--output ", request.output, " is a folder"),
                         Hint{text("--output ", std::filesystem::path(request.output) / "NAME",
                                   " writes NAME.json and NAME.html there")});
    if (request.ranks > 0 && request.configuration.problem.kernels().automatic)
        throw UsageError("--kernels auto is decided by times, and --ranks measures none",
                         Hint{"--kernels aten or fast"});
    if (request.ranks > 0) return;
    if (o.tiles.empty())
        throw UsageError("--tiles is missing: tile store to learn from",
                         Hint{"or --ranks N, to predict without training"});
    if (o.steps < least_steps)
        throw UsageError(text("--steps ", o.steps, ": the first step does not count, so there are ",
                              least_steps, " at least"),
                         Hint{"--steps 10"});
}

/// What is predicted are the cores of a machine, in equal parts.
Comparison predicted(const Request& request) {
    if (request.configuration.layout_options.threads)
        std::cerr << "warning: --threads is of the commands that are told alone: predictions are "
                     "for all cores of a node, shared by its ranks\n";
    return predict(request);
}

/// The data say what is not told of nets.
Request fitted(const comm::Communicator& world, Request request) {
    planner::Problem& problem = request.configuration.problem;
    if (!steps::is_fitted_to_store(problem)) return request;
    const auto store = data::TileStore::open(world, request.configuration.run_options.tiles);
    comm::agree(world, [&] { steps::fit_to_store(problem, store); });
    return request;
}

/// Throws an AgreedError where no strategy could be compared: of wrong use, unless a training
/// broke. `comparison`: the root's. Collective.
void refuse_empty(const comm::Communicator& world, const Comparison& comparison) {
    const std::string why = comm::from_root(world, [&] { return why_empty(comparison); });
    const bool broke = world.broadcast(comparison.any_broke());
    if (!why.empty()) throw AgreedError(why, !broke);
}

}  // namespace

std::filesystem::path json_file(const Request& request) { return stem_of(request) + ".json"; }
std::filesystem::path page_file(const Request& request) { return stem_of(request) + ".html"; }

Exit run(const comm::Communicator& world, const Request& request, StopSignals& signals) {
    comm::agree(world, [&] { check(request); });
    io::agree_on_outputs(world, [&] { return files_of(request); });
    std::optional<Comparison> comparison;
    if (request.ranks > 0)
        comm::on_root(world, [&] { comparison = predicted(request); });
    else if (comparison = measure(world, fitted(world, request), signals); !comparison)
        return Exit::stopped;
    comm::on_root(world, [&] { std::cout << '\n' << to_text(*comparison) << std::flush; });
    refuse_empty(world, comparison.value_or(Comparison{}));
    comm::on_root(world, [&] {
        const io::Replace replace = io::replace_if(request.overwrite);
        io::write_text_file(json_file(request), to_json(*comparison), replace);
        io::write_text_file(page_file(request), to_page(*comparison), replace);
        std::cout << "\nwrote " << json_file(request).string() << " and "
                  << page_file(request).string() << '\n';
    });
    return Exit::done;
}

}  // namespace civitas::compare
