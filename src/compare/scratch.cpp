#include "scratch.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/unused_name.hpp"

#include <unistd.h>
#include <system_error>

namespace civitas::compare {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const fs::path& output)
    : path_(io::unused_name(fs::absolute(output), text(".runs-", getpid()))) {
    std::error_code failed;
    if (!fs::create_directory(path_, failed) || failed)
        throw Error(text("cannot make the folder ", path_, " for trainings: ", failed.message()),
                    Hint{"--output in a folder that can be written"});
}

void ScratchFolder::clear(const fs::path& folder) noexcept {
    std::error_code stays;
    fs::remove_all(folder, stays);
}

}  // namespace civitas::compare
