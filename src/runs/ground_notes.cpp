#include "civitas/runs/ground_notes.hpp"

namespace civitas::runs {

std::map<std::string, std::string> notes_of_ground(const data::StoreHeader& tiles) {
    std::map<std::string, std::string> notes;
    if (!tiles.licence.empty()) notes[licence_note] = tiles.licence;
    if (tiles.crs_epsg == 0 && !tiles.crs_wkt.empty()) notes[crs_wkt_note] = tiles.crs_wkt;
    return notes;
}

std::string licence_in(const std::map<std::string, std::string>& notes) {
    const auto licence = notes.find(licence_note);
    return licence != notes.end() ? licence->second : "";
}

}  // namespace civitas::runs
