#include "civitas/io/sqlite_file.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"

namespace civitas::io {

namespace fs = std::filesystem;

void require_no_changes_beside(const fs::path& file) {
    // SQLite removes these files when the last program closes the database, or empties them.
    for (const char* ending : {"-wal", "-journal"}) {
        fs::path beside = target_of(file);
        beside += ending;
        std::error_code missing;
        const auto bytes = fs::file_size(beside, missing);
        if (missing || bytes == 0) continue;
        throw Error(
            text(file, " is in use by another program: ", beside.filename(),
                 " holds changes to it"),
            Hint{"close it there (in QGIS remove its layers from the project), then again; if it "
                 "is open nowhere, open and close it once, or name another output"});
    }
}

}  // namespace civitas::io
