// Disks that fill up, and a GDAL that lacks a driver.
#include "stores.hpp"
#include "support/file_size_limit.hpp"

#include <fstream>

using namespace civitas;
using namespace civitas::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<const char*> formats{"plans.gpkg", "plans.dxf", "plans.geojson",
                                       "plans.city.json"};

/// With files of the root limited to `bytes`.
std::string refusal_with(rlim_t bytes, const comm::Communicator& ranks,
                         const std::vector<const char*>& words) {
    std::optional<FileSizeLimit> limit;
    if (ranks.is_root()) limit.emplace(bytes);
    return refusal(words, false);
}

}  // namespace

TEST_CASE("A disk that fills up is named, and the map from before stays as it was") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5";
    write_store(ranks, store, header(true));
    const auto names_before = folder.names();
    for (const char* name : formats) {
        const auto map = folder / name;
        const rlim_t none = 0, little = 8000;
        for (const rlim_t bytes : {none, little}) {
            INFO(name << ", " << bytes << " bytes");
            const auto said = refusal_with(bytes, ranks, {store.c_str(), "--output", map.c_str()});
            CHECK_THAT(said, Contains("plans.") && Contains("Hint: "));
            REQUIRE_ALL(ranks, folder.names() == names_before);
        }
    }
    for (const char* name : formats) {
        const auto map = folder / name;
        if (ranks.is_root()) std::ofstream(map) << "before";
        ranks.barrier();
        (void)refusal_with(8000, ranks, {store.c_str(), "--output", map.c_str(), "--overwrite"});
        REQUIRE_ALL(ranks, test::content(map) == "before");
    }
}

TEST_CASE("A GeoPackage whose new layers do not fit on the disk stays as it was") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", map = folder / "plans.gpkg";
    write_store(ranks, store, header(true));
    REQUIRE_ALL(ranks, call({store.c_str(), "--output", map.c_str()}) == Exit::done);
    const auto names_before = folder.names();
    const auto before = test::content(map);
    const std::vector<const char*> add{store.c_str(), "--output",       map.c_str(),
                                       "--append",    "--layer-prefix", "again_"};
    // None of the copy, half of it, all of it, and some of the new layers.
    const rlim_t bytes = before.size();
    for (const rlim_t room : {rlim_t{0}, bytes / 2, bytes, bytes + 4096, bytes + 65536}) {
        INFO(room << " bytes for " << bytes << " and the new layers");
        const auto said = refusal_with(room, ranks, add);
        CHECK_THAT(said, Contains("plans.gpkg") && Contains("Hint: "));
        if (room < bytes) CHECK_THAT(said, Contains(text("no room for ", bytes, " bytes")));
        REQUIRE_ALL(ranks, folder.names() == names_before);
        REQUIRE_ALL(ranks, test::content(map) == before);
    }
    REQUIRE_ALL(ranks, call(add) == Exit::done);
    REQUIRE_ALL(ranks, test::content(map).size() > bytes + 65536);
}

TEST_CASE("A GDAL without the driver is told, and nothing is written") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", map = folder / "plans.gpkg";
    write_store(ranks, store, header(true));
    CPLSetConfigOption("GDAL_SKIP", "GPKG");
    const auto said = refusal({store.c_str(), "--output", map.c_str()}, false);
    CPLSetConfigOption("GDAL_SKIP", nullptr);
    CHECK_THAT(said, Contains("this GDAL has no GPKG driver. Hint: ogrinfo --formats"));
    REQUIRE_ALL(ranks, folder.names() == std::set<std::string>{"plans.h5"});
}
