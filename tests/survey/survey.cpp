#include "preprocess/survey/survey.hpp"

#include "preprocess/survey/town.hpp"
#include "support/temporary.hpp"

#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace civitas;
using namespace civitas::survey;

namespace {

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

GDALDatasetUniquePtr opened(const std::filesystem::path& file) {
    GDALAllRegister();
    GDALDatasetUniquePtr out(
        GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR));
    REQUIRE(out);
    return out;
}

/// The land cover kinds of the federal model, as geodienste.ch spells them.
const std::set<std::string>& federal_kinds() {
    static const std::set<std::string> kinds{"Gebaeude",
                                             "Strasse_Weg",
                                             "Trottoir",
                                             "Verkehrsinsel",
                                             "Bahn",
                                             "Flugplatz",
                                             "Wasserbecken",
                                             "uebrige_befestigte",
                                             "Acker_Wiese_Weide",
                                             "Reben",
                                             "uebrige_Intensivkultur",
                                             "Gartenanlage",
                                             "Hoch_Flachmoor",
                                             "uebrige_humusierte",
                                             "stehendes_Gewaesser",
                                             "fliessendes_Gewaesser",
                                             "Schilfguertel",
                                             "geschlossener_Wald",
                                             "Wytweide_dicht",
                                             "Wytweide_offen",
                                             "uebrige_bestockte",
                                             "Fels",
                                             "Gletscher_Firn",
                                             "Geroell_Sand",
                                             "Abbau_Deponie",
                                             "uebrige_vegetationslose"};
    return kinds;
}

}  // namespace

TEST_CASE(
    "the file has the schema of the official survey, and its bytes depend on the seed alone") {
    const test::TemporaryFolder folder("survey");
    const auto file = folder.path() / "sample.gpkg";
    write_survey(file, Seed{1});
    const std::string first = bytes_of(file);
    {
        const auto map = opened(file);
        OGRLayer* layer = map->GetLayerByName("lcsf");
        REQUIRE(layer != nullptr);
        REQUIRE(map->GetLayerCount() == 1);
        REQUIRE(layer->GetGeomType() == wkbPolygon);
        REQUIRE(std::string(layer->GetSpatialRef()->GetAuthorityCode(nullptr)) == "2056");
        const OGRFeatureDefn& schema = *layer->GetLayerDefn();
        const char* names[] = {"BFSNr", "Qualitaet", "Art", "GWR_EGID", "Kanton"};
        REQUIRE(schema.GetFieldCount() == 5);
        for (int i = 0; i < 5; ++i)
            CHECK(std::string(schema.GetFieldDefn(i)->GetNameRef()) == names[i]);
        std::set<std::string> used;
        double area = 0;
        int invalid = 0;
        for (const auto& row : *layer) {
            used.insert(row->GetFieldAsString("Art"));
            area += row->GetGeometryRef()->toPolygon()->get_Area();
            invalid += row->GetGeometryRef()->IsValid() ? 0 : 1;
        }
        CHECK(invalid == 0);
        CHECK(area == Approx(side * side).epsilon(1e-9));
        CHECK(std::includes(federal_kinds().begin(), federal_kinds().end(), used.begin(),
                            used.end()));
        CHECK(used.size() >= 10);
    }
    write_survey(file, Seed{1});
    CHECK(bytes_of(file) == first);
    write_survey(file, Seed{2});
    CHECK(bytes_of(file) != first);
    const auto entries = std::filesystem::directory_iterator(folder.path());
    CHECK(std::distance(begin(entries), end(entries)) == 1);
}

TEST_CASE("a file that cannot be written is named") {
    CHECK_THROWS_WITH(write_survey("/nowhere/at/all/sample.gpkg", Seed{1}),
                      Catch::Contains("/nowhere/at/all/sample"));
}
