#include "verify.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/unused_name.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

namespace civitas::checkpoint {
namespace {

namespace fs = std::filesystem;

struct Found {
    std::int64_t step;
    fs::path file;
};

// The step in `step-00001200.h5`; nothing for other names.
std::optional<std::int64_t> step_in(const std::string& name) {
    const std::string front = "step-", back = ".h5";
    if (!name.starts_with(front) || !name.ends_with(back)) return {};
    const char* first = name.data() + front.size();
    const char* last = name.data() + name.size() - back.size();
    std::int64_t step = 0;
    const auto [end, error] = std::from_chars(first, last, step);
    if (error != std::errc{} || end != last || last - first < 8 || step < 0) return {};
    return step;
}

std::vector<Found> checkpoints_in(const fs::path& folder) {
    std::vector<Found> found;
    if (!fs::is_directory(folder)) return found;
    for (const auto& entry : io::entries_of(folder))
        if (const auto step = step_in(entry.path().filename().string()))
            found.push_back({*step, entry.path()});
    std::sort(found.begin(), found.end(),
              [](const Found& a, const Found& b) { return a.step > b.step; });
    return found;
}

// Checkpoints that were not finished.
std::vector<fs::path> parts_in(const fs::path& folder) {
    std::vector<fs::path> parts;
    if (!fs::is_directory(folder)) return parts;
    for (const auto& entry : io::entries_of(folder)) {
        const auto whole = io::name_of_part(entry.path().filename().string());
        if (whole && step_in(*whole)) parts.push_back(entry.path());
    }
    return parts;
}

using IsWhole = std::function<std::optional<bool>(const fs::path&)>;

// Whether all[i] is the oldest whole one (they come newest first) in its stretch of `every` steps,
// the first of which, that of a run's beginning, does not count. Damaged ones before it lose their
// names.
bool stays_for_ever(std::vector<Found>& all, std::size_t i, std::int64_t every,
                    const IsWhole& is_whole) {
    if (every == 0 || all[i].step < every) return false;
    while (i + 1 < all.size() && all[i + 1].step / every == all[i].step / every) {
        const auto older = all.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        const auto whole = is_whole(older->file);
        if (whole != false) return !whole;
        io::set_aside(older->file, ".damaged");
        all.erase(older);
    }
    return true;
}

std::vector<std::string> same_list(const comm::Communicator& ranks, const fs::path& folder) {
    const auto files = comm::agree(
        ranks, [&] { return ranks.is_root() ? list(folder) : std::vector<fs::path>{}; });
    std::vector<std::string> names(ranks.broadcast(files.size()));
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = ranks.broadcast(ranks.is_root() ? files[i].string() : std::string());
    return names;
}

}  // namespace

std::vector<fs::path> list(const fs::path& folder) {
    std::vector<fs::path> files;
    for (Found& found : checkpoints_in(folder)) files.push_back(std::move(found.file));
    return files;
}

std::optional<fs::path> newest_whole(const comm::Communicator& ranks, const fs::path& folder,
                                     const std::function<void(const std::string&)>& warn) {
    const auto files = same_list(ranks, folder);
    std::string problems;
    for (const std::string& file : files) {
        const auto problem = problem_with(ranks, file);
        if (!problem) return file;
        const auto words = problem->substr(0, problem->find(" Hint: "));  // one follows for all
        problems += " " + words;
        const bool more = file != files.back();
        if (ranks.is_root()) warn(words + (more ? " Trying the one before it." : ""));
    }
    if (files.empty()) return {};
    comm::agree(ranks, [&] {
        throw Error(
            text("none of the ", files.size(), " checkpoints in ", folder, " is whole.", problems),
            Hint{"copies of them may be whole; civitas inspect tells what is damaged in each"});
    });
    return {};
}

Spare prune(const fs::path& folder, Keep keep, StepIndex newest, const IsWhole& is_whole) {
    ensure(keep.newest >= 1, "at least one checkpoint is kept");
    std::vector<Found> all = checkpoints_in(folder);
    const auto later = [&](const Found& found) { return found.step > index(newest); };
    const bool enough = std::count_if(all.begin(), all.end(), std::not_fn(later)) <= keep.newest;
    for (const fs::path& part : parts_in(folder)) fs::remove(part);
    Spare spare;
    int kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const fs::path& file = all[i].file;
        if (later(all[i]))
            io::set_aside(file, ".abandoned");
        else if (kept == keep.newest) {
            if (!stays_for_ever(all, i, keep.every, is_whole)) spare = Spare(file);
        } else if (const auto whole = enough ? true : is_whole(file); whole == true)
            ++kept;
        else if (whole == false)
            io::set_aside(file, ".damaged");
    }
    return spare;
}

}  // namespace civitas::checkpoint
