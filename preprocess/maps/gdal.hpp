#pragma once
/// GDAL's state and words, kept in one place.
#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <string>
#include <vector>

namespace civitas::maps {

/// While it lives, GDAL has its drivers and the settings we read with, and what it has to say is
/// kept here instead of being printed. One at a time, on the main thread.
class Gdal {
public:
    Gdal();
    Gdal(const Gdal&) = delete;
    Gdal& operator=(const Gdal&) = delete;
    ~Gdal();

    /// What GDAL said since the last call, each sentence once.
    [[nodiscard]] std::vector<std::string> take_messages();
    /// The same on one line, for an error.
    [[nodiscard]] std::string last_words();

private:
    static void keep(CPLErr severity, CPLErrorNum number, const char* message);
    std::vector<std::string> messages_;
};

using Dataset = GDALDatasetUniquePtr;

}  // namespace civitas::maps
