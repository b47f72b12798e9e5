#include "itf.hpp"

#include "itf_parser.hpp"

#include "civitas/base/error.hpp"

#include <iomanip>

namespace civitas::interlis {
namespace {

constexpr std::int64_t most_named = 3;

std::vector<linework::Point> places_of(const Transfer& transfer) {
    std::vector<linework::Point> places;
    for (const auto& row : transfer.rows) places.push_back(row.place);
    return places;
}

std::vector<std::unique_ptr<OGRPolygon>> polygons_of(const FileName& file,
                                                     const Transfer& transfer) {
    try {
        return linework::areas_around(places_of(transfer), transfer.boundaries);
    } catch (const Error& error) {
        throw Error(text(file.label, ": ", error.what()));
    }
}

std::string name_of(const Row& row) {
    return text("area ", row.tid, " (line ", row.line, ", at ", std::fixed, std::setprecision(3),
                row.place.x, ", ", row.place.y, ")");
}

}  // namespace

std::string model_of_itf(const FileName& file, bool bear_damage) {
    Parser parser(file, {bear_damage});
    while (parser.transfer().land_cover_model.empty() && parser.step()) {
    }
    return parser.transfer().land_cover_model;
}

Survey read_itf(const FileName& file, Reading reading) {
    Parser parser(file, reading);
    while (parser.step()) {
    }
    const auto& transfer = parser.transfer();
    Survey survey{.model = transfer.land_cover_model, .layer = transfer.table, .by_number = true};
    survey.projected = transfer.projected;
    survey.damaged = transfer.damaged;
    survey.broke_off = transfer.broke_off;
    auto polygons = polygons_of(file, transfer);
    for (std::size_t i = 0; i < polygons.size(); ++i) {
        const auto& row = transfer.rows[i];
        if (polygons[i]) {
            survey.areas.push_back({row.art, std::move(polygons[i])});
        } else if (++survey.not_found <= most_named) {
            survey.warnings.push_back(text("left out: no boundary of its own closes around ",
                                           name_of(row), " of ", file.label));
        }
    }
    return survey;
}

}  // namespace civitas::interlis
