#include "civitas/base/words_of.hpp"

#include "civitas/base/error.hpp"

#include <filesystem>

namespace civitas {

std::string words_of(const std::exception& error) {
    const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    if (file == nullptr) return error.what();
    const std::string names =
        file->path2().empty() ? text(file->path1()) : text(file->path1(), " and ", file->path2());
    return Error(text("cannot look at or change ", names, ": ", file->code().message()),
                 Hint{"ls -ld shows what is there, df how much room there is"})
        .what();
}

}  // namespace civitas
