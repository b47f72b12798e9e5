#include "command_files.hpp"

#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/runs/run_folder.hpp"

namespace civitas::app {

namespace fs = std::filesystem;

void add_run(io::CommandFiles& files, const std::string& option, const fs::path& where) {
    std::error_code unknown;
    if (!fs::is_directory(where, unknown)) {
        files.may_read.push_back({option, where});
        return;
    }
    const runs::RunFolder run{where};
    for (const auto& part : {run.checkpoints(), run.samples(), run.root / "log",
                             run.configuration(), run.profile(), run.metrics(), run.test_scores(),
                             run.plan(), run.schedule(), run.stopped(), run.lock(), run.resumed()})
        files.may_read.push_back({option, part});
    for (const auto& file : checkpoint::list(where)) files.may_read.push_back({option, file});
}

std::string schedule_file(const planner::LayoutOptions& layout_options) {
    return layout_options.table() == nullptr ? "" : layout_options.table()->name;
}

io::CommandFiles files_of_run(const planner::Configuration& c) {
    io::CommandFiles files{{{"--config", c.file},
                            {"--tiles", c.run_options.tiles},
                            {"--schedule", schedule_file(c.layout_options)}},
                           {{"--trace", c.run_options.trace, {io::FileFormat::json}}},
                           c.run_options.overwrite};
    files.may_read.push_back({"--resume", c.run_options.resume.file});
    add_run(files, "--run", c.run_options.run);
    return files;
}

}  // namespace civitas::app
