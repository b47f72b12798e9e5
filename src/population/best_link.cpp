#include "best_link.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/sync.hpp"

namespace civitas::population {

namespace fs = std::filesystem;

namespace {

fs::path link_in(const fs::path& folder) { return folder / "best"; }

}  // namespace

void require_place_for_best(const fs::path& folder) {
    const auto found = fs::symlink_status(link_in(folder)).type();
    if (found != fs::file_type::not_found && found != fs::file_type::symlink)
        throw UsageError(
            text(link_in(folder), " is no link: the one to the best member has no place"),
            Hint{"rename it; the same command goes on"});
}

void link_best(const fs::path& folder, const fs::path& member) {
    require_place_for_best(folder);
    const fs::path name = link_in(folder);
    const fs::path part = folder / "best.part";
    std::error_code failed;
    fs::remove(part, failed);  // of a process that was ended
    if (!failed) fs::create_directory_symlink(member, part, failed);
    if (!failed) fs::rename(part, name, failed);
    if (failed) throw Error(text("cannot make the link ", name, ": ", failed.message()));
    io::sync_folder(folder);
}

}  // namespace civitas::population
