#include "gdal.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "connection.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace civitas::maps {
namespace {

constexpr std::size_t most_messages = 5;

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

void Gdal::keep(CPLErr severity, CPLErrorNum, const char* words) {
    auto& gdal = *static_cast<Gdal*>(CPLGetErrorHandlerUserData());
    if (severity == CE_Debug || is_expected(words)) return;
    auto& messages = gdal.messages_;
    const auto known = std::find_if(messages.begin(), messages.end(),
                                    [&](const Message& m) { return m.words == words; });
    if (known != messages.end())
        ++known->times;
    else if (messages.size() == most_messages)
        ++gdal.others_;
    else
        messages.push_back({words});
}

void Gdal::connects_to(const std::string& connection) {
    for (auto& secret : secrets_of(connection)) secrets_.push_back(std::move(secret));
}

std::vector<std::string> Gdal::take_messages() {
    std::vector<std::string> quoted;
    for (const auto& [words, times] : std::exchange(messages_, {}))
        quoted.push_back(text("GDAL says '", without(secrets_, words), "'",
                              times == 1 ? std::string() : text(" (", times, " times)")));
    if (const auto others = std::exchange(others_, 0); others != 0)
        quoted.push_back(text("and ", others, " other words of GDAL"));
    return quoted;
}

std::string Gdal::last_words() {
    constexpr std::size_t most = 3;
    auto messages = take_messages();
    if (messages.empty()) return "GDAL gives no reason";
    if (messages.size() > most) messages.resize(most);
    return join(messages, "; ");
}

}  // namespace civitas::maps
