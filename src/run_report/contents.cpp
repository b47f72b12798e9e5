#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/io/files.hpp"
#include "civitas/run_report/run_report.hpp"
#include "civitas/runs/run_folder.hpp"

namespace civitas::run_report {
namespace {

namespace fs = std::filesystem;

CheckpointLine line_of(const fs::path& file) {
    std::error_code unknown;
    CheckpointLine line{file.filename().string(), fs::file_size(file, unknown), {}};
    if (unknown) line.bytes = 0;
    try {
        line.state = "fingerprint " + hex(checkpoint::read_contents(file).fingerprint);
    } catch (const Error& e) {
        line.state = printable(e.what());
    }
    return line;
}

/// A start that was cut off, or a disk that was full, leaves a plan that says nothing: the page has
/// everything else.
void add_planned(RunContents& run, const fs::path& file) {
    try {
        run.planned = runs::read_planned(file);
    } catch (const Error& e) {
        run.why_not_planned = printable(e.what());
    }
}

}  // namespace

std::string name_of(const fs::path& folder) {
    const fs::path whole = fs::absolute(folder).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

std::string RunContents::name() const { return name_of(folder); }

RunContents read_run(const fs::path& folder) {
    const runs::RunFolder files{folder};
    std::error_code unknown;
    const Hint hint = runs::runs_in(folder, {"the folder that `civitas train --run` names"});
    if (fs::status(folder, unknown).type() == fs::file_type::not_found)
        throw UsageError(text(folder, " is no run folder: there is nothing of this name"), hint);
    if (!fs::exists(files.configuration(), unknown))
        throw Error(text(folder, " is no run folder: it has no config.ini"), hint);
    RunContents run{.folder = folder,
                    .configuration = io::read_text_file(files.configuration()),
                    .steps = read_history(files.metrics()),
                    .tests = read_history(files.test_scores()),
                    .schedule = {},
                    .samples = runs::samples_in(files),
                    .checkpoints = {}};
    add_planned(run, files.plan());
    if (fs::exists(files.schedule(), unknown)) run.schedule = io::read_text_file(files.schedule());
    for (const fs::path& file : checkpoint::list(files.checkpoints()))
        run.checkpoints.push_back(line_of(file));
    return run;
}

}  // namespace civitas::run_report
