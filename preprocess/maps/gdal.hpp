#pragma once
/// GDAL's state and words, kept in one place.
#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <cstdint>
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

    /// From now on its words hide the passwords of this connection.
    void connects_to(const std::string& connection);

    /// What GDAL said since the last call, each sentence once, quoted, with how often it said it.
    [[nodiscard]] std::vector<std::string> take_messages();
    /// The same on one line, for an error.
    [[nodiscard]] std::string last_words();

private:
    struct Message {
        std::string words;
        std::int64_t times = 1;
    };
    static void keep(CPLErr severity, CPLErrorNum number, const char* message);
    std::vector<Message> messages_;
    std::vector<std::string> secrets_;
    std::int64_t others_ = 0;  ///< said after there were too many to keep
};

/// While it lives, what GDAL and the libraries below it say goes nowhere: for calls that answer by
/// their result.
class QuietGdal {
public:
    QuietGdal() { CPLPushErrorHandler(CPLQuietErrorHandler); }
    QuietGdal(const QuietGdal&) = delete;
    QuietGdal& operator=(const QuietGdal&) = delete;
    ~QuietGdal() { CPLPopErrorHandler(); }
};

using Dataset = GDALDatasetUniquePtr;

}  // namespace civitas::maps
