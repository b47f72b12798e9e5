#include "civitas/runs/job_start.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"

#include <fstream>

namespace civitas::runs {
namespace {

namespace fs = std::filesystem;

std::string name_of(const fs::path& wanted) {
    std::error_code unknown;
    return fs::weakly_canonical(fs::absolute(wanted, unknown), unknown).string();
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

}  // namespace civitas::runs
