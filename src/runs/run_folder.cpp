#include "civitas/runs/run_folder.hpp"

#include "civitas/base/shell.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"

#include <unistd.h>
#include <algorithm>

namespace civitas::runs {

namespace fs = std::filesystem;

fs::path RunFolder::sample(std::int64_t step) const {
    return samples() / (step_name(StepIndex{step}) + ".png");
}

fs::path RunFolder::log(Rank rank) const {
    return root / "log" / text("rank-", index(rank), ".txt");
}

fs::path RunFolder::hang(Rank rank) const {
    return root / "log" / text("hang-rank-", index(rank), ".txt");
}

std::vector<fs::path> samples_in(const RunFolder& folder) {
    std::vector<fs::path> samples;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder.samples(), none)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("step-") && entry.path().extension() == ".png")
            samples.push_back(entry.path());
    }
    std::sort(samples.begin(), samples.end());
    return samples;
}

Hint runs_in(const fs::path& folder, Hint otherwise) {
    constexpr std::size_t most = 8;
    std::vector<std::string> runs;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
        if (fs::exists(RunFolder{entry.path()}.configuration(), none))
            runs.push_back(entry.path().string());
    if (runs.empty()) return otherwise;
    std::sort(runs.begin(), runs.end());
    const bool more = runs.size() > most;
    if (more) runs.resize(most);
    return {text("runs lie in it: ", join(runs, ", "), more ? ", ..." : "")};
}

RunFolder make_run_folder(const comm::Communicator& world, const std::string& name) {
    RunFolder folder{name};
    comm::on_root(world, [&] {
        std::error_code failed;
        for (const char* part : {"checkpoints", "samples", "log"}) {
            fs::create_directories(folder.root / part, failed);
            if (failed || access((folder.root / part).c_str(), W_OK) != 0)
                throw Error(text("cannot write the run folder ", folder.root / part),
                            Hint{"another --run, or check its permissions"});
        }
    });
    return folder;
}

void require_own_folder(const fs::path& file, const fs::path& run) {
    std::error_code unknown;
    const RunFolder holder{fs::absolute(file, unknown).parent_path()};
    if (!fs::is_directory(holder.checkpoints(), unknown) ||
        !fs::equivalent(holder.configuration(), file, unknown) ||
        fs::equivalent(holder.root, run, unknown))
        return;
    throw UsageError(text(file, " lies in a run folder, but names the run ", run),
                     Hint{text("--run ", shell_quoted(holder.root.string()),
                               " goes on with the run that it lies in, --run ",
                               shell_quoted(run.string()), " with the one that it names")});
}

}  // namespace civitas::runs
