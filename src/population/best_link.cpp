#include "best_link.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/sync.hpp"

namespace civitas::population {

namespace fs = std::filesystem;

void link_best(const fs::path& folder, const fs::path& member) {
    const fs::path name = folder / "best";
    const fs::path part = folder / "best.part";
    const auto found = fs::symlink_status(name).type();
    if (found != fs::file_type::not_found && found != fs::file_type::symlink)
        throw Error(text(name, " is no link: the one to the best member has no place"),
                    Hint{"rename it; the same command goes on"});
    std::error_code failed;
    fs::remove(part, failed);  // of a process that was ended
    if (!failed) fs::create_directory_symlink(member, part, failed);
    if (!failed) fs::rename(part, name, failed);
    if (failed) throw Error(text("cannot make the link ", name, ": ", failed.message()));
    io::sync_folder(folder);
}

}  // namespace civitas::population
