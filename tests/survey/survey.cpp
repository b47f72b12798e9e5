#include "preprocess/survey/survey.hpp"

#include "preprocess/survey/writer.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary.hpp"

#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <catch2/catch.hpp>
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

TEST_CASE("the file has the schema of the official survey and the features of its seed") {
    const test::TemporaryFolder folder("survey");
    const auto file = folder.path() / "sample.gpkg";
    write_survey(file, {Seed{1}});
    const auto entries = std::filesystem::directory_iterator(folder.path());
    CHECK(std::distance(begin(entries), end(entries)) == 1);
    const Town town = make_town({Seed{1}});
    write_town(folder.path() / "again.gpkg", town, {Seed{1}});
    CHECK(bytes_of(file).size() > 1000000);
    CHECK(bytes_of(file) == bytes_of(folder.path() / "again.gpkg"));

    const auto map = opened(file);
    OGRLayer* layer = map->GetLayerByName("lcsf");
    REQUIRE(layer != nullptr);
    REQUIRE(map->GetLayerCount() == 1);
    CHECK(layer->GetGeomType() == wkbPolygon);
    CHECK(std::string(layer->GetSpatialRef()->GetAuthorityCode(nullptr)) == "2056");
    const OGRFeatureDefn& schema = *layer->GetLayerDefn();
    const char* names[] = {"BFSNr", "Qualitaet", "Art", "GWR_EGID", "Kanton"};
    REQUIRE(schema.GetFieldCount() == 5);
    for (int i = 0; i < 5; ++i)
        CHECK(std::string(schema.GetFieldDefn(i)->GetNameRef()) == names[i]);

    REQUIRE(layer->GetFeatureCount() == static_cast<GIntBig>(town.features.size()));
    std::size_t i = 0;
    int different = 0;
    std::set<std::string> used;
    for (const auto& row : *layer) {
        const Feature& feature = town.features[i++];
        used.insert(row->GetFieldAsString("Art"));
        OGRPolygon land = *row->GetGeometryRef()->toPolygon();
        for (OGRLinearRing* ring : land)
            for (int k = 0; k < ring->getNumPoints(); ++k)
                ring->setPoint(k, ring->getX(k) - 2500000, ring->getY(k) - 1290000);
        if (row->GetFieldAsString("Art") != std::string(name_of(feature.art)) ||
            !land.Equals(&feature.land))
            ++different;
    }
    CHECK(different == 0);
    CHECK(used.size() >= 10);
    for (const std::string& kind : used) CHECK(federal_kinds().count(kind) == 1);
}

TEST_CASE("a file that cannot be written is named, and nothing is left of it") {
    CHECK_THROWS_WITH(write_town("/nowhere/at/all/sample.gpkg", {}, {Seed{1}}),
                      Catch::Contains("cannot write /nowhere/at/all/sample.gpkg"));
    const test::TemporaryFolder folder("survey-no-room");
    {
        const test::FileSizeLimit limit(50'000);
        CHECK_THROWS_WITH(write_survey(folder.path() / "sample.gpkg", {Seed{1}}),
                          Catch::Contains("cannot write " + folder.path().string()) &&
                              Catch::Contains("Hint: is there room on the disk?"));
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a map is not replaced while another program holds changes to it") {
    const test::TemporaryFolder folder("survey-in-use");
    const auto file = folder.path() / "sample.gpkg", log = folder.path() / "sample.gpkg-wal";
    std::ofstream(log) << "what is not in the file yet";
    CHECK_THROWS_WITH(write_survey(file, {Seed{1}}),
                      Catch::Contains("sample.gpkg-wal") && Catch::Contains("Hint: close it"));
    CHECK(!std::filesystem::exists(file));
}
