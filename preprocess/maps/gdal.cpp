#include "preprocess/maps/gdal.hpp"

#include "preprocess/maps/words.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace civitas::maps {
namespace {

constexpr std::size_t most_messages = 20;

/// GML readers would like to leave a file beside the map; we do not let them (see source.cpp).
bool is_expected(std::string_view message) {
    return message.find("GFS file saving") != std::string_view::npos;
}

}  // namespace

Gdal::Gdal() {
    GDALAllRegister();
    // A feature of two geometries (outline and label) must not lose one of them.
    CPLSetThreadLocalConfigOption("GML_FETCH_ALL_GEOMETRIES", "YES");
    CPLPushErrorHandlerEx(keep, this);
}

Gdal::~Gdal() {
    CPLPopErrorHandler();
    CPLSetThreadLocalConfigOption("GML_FETCH_ALL_GEOMETRIES", nullptr);
}

void Gdal::keep(CPLErr severity, CPLErrorNum, const char* message) {
    auto& messages = static_cast<Gdal*>(CPLGetErrorHandlerUserData())->messages_;
    if (severity == CE_Debug || is_expected(message) || messages.size() == most_messages) return;
    if (std::find(messages.begin(), messages.end(), message) == messages.end())
        messages.emplace_back(message);
}

std::vector<std::string> Gdal::take_messages() { return std::exchange(messages_, {}); }

std::string Gdal::last_words() {
    const auto messages = take_messages();
    return messages.empty() ? "GDAL gives no reason" : join(messages, "; ");
}

}  // namespace civitas::maps
