#include "civitas/runs/job_start.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

#include <fstream>

namespace civitas::runs {
namespace {

namespace fs = std::filesystem;

std::string name_of(const fs::path& wanted) {
    std::error_code unknown;
    return fs::weakly_canonical(fs::absolute(wanted, unknown), unknown).string();
}

void check_resume(const planner::Resume& how, const RunFolder& folder) {
    std::error_code unknown;
    if (how.from != planner::Resume::From::file || fs::is_regular_file(how.file, unknown)) return;
    throw UsageError(text("--resume ", how.file, ": there is no such checkpoint"),
                     Hint{fs::exists(folder.checkpoints(), unknown)
                              ? text("auto, never or a file of ls ", folder.checkpoints().string())
                              : "auto, or never"});
}

}  // namespace

bool was_resumed_before(const RunFolder& folder, const JobStart& now, const fs::path& wanted) {
    std::ifstream in(folder.resumed());
    JobStart before;
    std::string file;
    return in >> before.job >> before.restarts >> std::ws && std::getline(in, file) &&
           file == name_of(wanted) && is_earlier_start(before, now);
}

void remember_resumed(const RunFolder& folder, const JobStart& now, const fs::path& wanted) {
    if (now.job.empty()) return;
    io::write_text_file(folder.resumed(),
                        text(now.job, ' ', now.restarts, '\n', name_of(wanted), '\n'));
}

planner::Resume resume_of(const comm::Communicator& world, const planner::RunOptions& run_options,
                          Log& log) {
    const RunFolder folder{run_options.run};
    const std::string asked = to_string(run_options.resume);
    const bool obeyed = world.is_root() && was_resumed_before(folder, this_job_start(), asked);
    if (world.any(obeyed)) {
        log.info(text("--resume ", asked, " was obeyed before this job was started again"));
        return {};
    }
    comm::on_root(world, [&] { check_resume(run_options.resume, folder); });
    return run_options.resume;
}

}  // namespace civitas::runs
