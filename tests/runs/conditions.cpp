#include "support/tensor.hpp"

#include "civitas/runs/conditions.hpp"
#include "civitas/runs/facts.hpp"
#include "civitas/runs/problem_facts.hpp"
#include "support/temporary.hpp"

using namespace civitas;
using namespace civitas::runs;
using Catch::Contains;
using conditions::Cover;
using conditions::Source;

namespace {

/// One-pixel-deep knowledge of a tile; what lies in it does not matter here.
struct Tile {
    Cover cover;
    std::uint16_t source = 0;
    data::Split split = data::Split::train;
};

data::TileStore store_of(const std::vector<Tile>& tiles, const std::vector<std::string>& sources) {
    const auto ranks = comm::Communicator::self();
    const test::TemporaryFolder folder("conditions");
    data::StoreHeader header;
    header.pixels = 16;
    for (const std::string& name : sources) header.sources.push_back({name, ""});
    std::vector<data::TileRecord> records;
    for (const Tile& tile : tiles) {
        data::TileRecord record;
        record.cover = {static_cast<float>(1 - tile.cover.building - tile.cover.road),
                        static_cast<float>(tile.cover.road),
                        static_cast<float>(tile.cover.building)};
        record.source = tile.source;
        record.split = tile.split;
        records.push_back(record);
    }
    const std::vector<std::uint8_t> pixels(records.size() * 256);
    data::write_tile_store(ranks, folder.path() / "tiles.h5", header, records, pixels);
    return data::TileStore::open(ranks, folder.path() / "tiles.h5");
}

planner::Problem problem_with(ConditionKind kind, std::int64_t sources = 0) {
    planner::Problem problem;
    problem.nets = planner::Nets({.net = "dcgan-64", .condition = kind, .classes = sources});
    return problem;
}

checkpoint::Header header_of(const conditions::Conditions& conditions) {
    checkpoint::Header header;
    header.facts = runs::facts_of(conditions);
    header.notes = runs::notes_of(conditions);
    return header;
}

/// Three training tiles and one that nobody learns from.
std::vector<Tile> four_tiles() {
    return {{{0.125, 0.25}},
            {{0.25, 0.125}, 1},
            {{0.375, 0.1875}, 1},
            {{0.9, 0.05}, 0, data::Split::test}};
}

}  // namespace

TEST_CASE("cover is that of training tiles, and a checkpoint has it to the last bit") {
    const auto store = store_of(four_tiles(), {"a", "b"});
    const auto told = conditions_of(ConditionKind::cover, store);
    CHECK(told.scale().building.mean == 0.25);
    CHECK(told.scale().road.mean == 0.1875);
    REQUIRE(told.sample().size() == 3);
    CHECK(told.sample()[2].building == 0.375);
    const auto back = conditions_in(problem_with(ConditionKind::cover), header_of(told));
    const Cover wish{0.31, 0.17};
    CHECK(back.numbers(wish) == told.numbers(wish));
    for (std::uint64_t plan = 0; plan < 20; ++plan)
        CHECK(back.numbers(back.wish_of(Seed{1}, plan)) ==
              told.numbers(told.wish_of(Seed{1}, plan)));
    const auto wishes = wishes_of_tiles(ConditionKind::cover, store);
    CHECK(std::get<Cover>(wishes.at(3)).building == Approx(0.9));
    CHECK(std::get<Cover>(wishes.at(3)).road == Approx(0.05));
}

TEST_CASE("a sample of many tiles is spread over all, and short") {
    std::vector<Tile> tiles;
    for (int i = 0; i < 1000; ++i) tiles.push_back({{i * 0.0005, 0.1}});
    const auto told = conditions_of(ConditionKind::cover, store_of(tiles, {"a"}));
    REQUIRE(told.sample().size() == 128);
    CHECK(told.sample().back().building > 0.49);
    CHECK(header_of(told).notes.at("condition-sample").size() < 4096);
}

TEST_CASE("sources are those that tiles are from, and a checkpoint has their names") {
    const auto store = store_of(four_tiles(), {"a", "b", "no tile's"});
    const auto told = conditions_of(ConditionKind::source, store);
    CHECK(told.sources() == std::vector<std::string>{"a", "b"});
    CHECK(told.tiles() == std::vector<std::int64_t>{1, 2});
    const auto back = conditions_in(problem_with(ConditionKind::source, 2), header_of(told));
    CHECK(back.sources() == told.sources());
    CHECK(back.tiles() == told.tiles());
    CHECK(std::get<Source>(wishes_of_tiles(ConditionKind::source, store).at(2)) == Source{1});
    CHECK(conditions_of(ConditionKind::none, store).kind() == ConditionKind::none);
}

TEST_CASE("a run goes on with the sources that it began with, in their order") {
    const auto tiles = four_tiles();
    const auto facts_with = [&](const std::vector<std::string>& names) {
        return runs::facts_of(conditions_of(ConditionKind::source, store_of(tiles, names)));
    };
    const std::string rubbed_out = "a\x7f";
    const auto stored = facts_with({"Zürich.gpkg", rubbed_out});
    CHECK(differences(stored, facts_with({"Zürich.gpkg", rubbed_out})).empty());
    for (const auto& names :
         {std::vector<std::string>{rubbed_out, "Zürich.gpkg"}, {"Zürich.gpkg", "Bern.gpkg"}}) {
        const auto found = differences(stored, facts_with(names));
        REQUIRE(found.size() == 1);
        CHECK(found[0].key == "sources");
        CHECK_THROWS_WITH(
            require_same_problem(found, {"tiles"}),
            Contains(R"(was made with sources = ["Zürich.gpkg","a?"], this run has [)") &&
                Contains("civitas-preprocess of these maps in their order, another --run, or "
                         "--allow-change sources"));
        CHECK_NOTHROW(check_allowed({"sources"}));
        CHECK_NOTHROW(require_same_problem(found, {"sources"}));
    }
    // Older checkpoints have the names in a note, and do not say this.
    CHECK(differences({}, stored).empty());
    CHECK(facts_with({"a", "b"}).size() == 1);
}

TEST_CASE("sources that cannot be told apart are refused") {
    const auto refused = [](const data::TileStore& store, const std::string& words) {
        CHECK_THROWS_WITH(conditions_of(ConditionKind::source, store), Contains(words));
    };
    refused(store_of({{{0.1, 0.1}}}, {"a"}), "is of one source alone, 'a'");
    auto tiles = four_tiles();
    tiles[0].split = data::Split::test;
    refused(store_of(tiles, {"a", "b"}), "has no training tile of 'a'");
    tiles.clear();
    std::vector<std::string> names;
    for (std::uint16_t s = 0; s < 65; ++s) {
        tiles.push_back({{0.1, 0.1}, s});
        names.push_back(text("town ", s));
    }
    refused(store_of(tiles, names), "is of 65 sources, --condition source takes 64 at most");
    refused(store_of({{{0.1, 0.1}}, {{0.1, 0.1}, 1}}, {std::string(5000, 'a'), "b"}),
            "longer than a checkpoint keeps");
}

TEST_CASE("what no run has written is no condition") {
    const auto store = store_of(four_tiles(), {"a", "b"});
    const auto cover = problem_with(ConditionKind::cover);
    const auto good = header_of(conditions_of(ConditionKind::cover, store));
    for (const char* words : {"", "0.2 0.1 0.2", "0.2 0 0.2 0.1", "0.2 0.1 nan 0.1", "a b c d",
                              "0.2 0.1 0.2 -0.1", "0.2 0.1 0.2 1e99"}) {
        auto header = good;
        header.facts["condition-scale"] = words;
        CHECK_THROWS_WITH(conditions_in(cover, header),
                          Contains("condition-scale = '" + std::string(words) + "', expected"));
    }
    auto header = good;
    header.notes["condition-sample"] = "0.1 0.2 0.3";
    CHECK_THROWS_WITH(conditions_in(cover, header), Contains("condition-sample"));
    header.notes.clear();
    CHECK_THROWS_WITH(conditions_in(cover, header), Contains("condition-sample = ''"));
    const auto sources = problem_with(ConditionKind::source, 3);
    header = header_of(conditions_of(ConditionKind::source, store));
    CHECK_THROWS_WITH(conditions_in(sources, header), Contains("tiles of 3 named sources"));
    header.notes["source-tiles"] = "0 0";
    CHECK_THROWS_WITH(conditions_in(problem_with(ConditionKind::source, 2), header),
                      Contains("source-tiles = '0 0'"));
}

TEST_CASE("the facts of a problem say its condition; older ones had none") {
    const auto facts_with = [](ConditionKind kind, std::int64_t sources) {
        return facts_of_problem(problem_with(kind, sources), {});
    };
    for (const ConditionKind kind :
         {ConditionKind::none, ConditionKind::cover, ConditionKind::source}) {
        const auto back = problem_of(facts_with(kind, 3));
        CHECK(back.condition() == kind);
        CHECK(back.nets.conditions() == condition_numbers(kind, 3));
    }
    auto facts = facts_with(ConditionKind::none, 0);
    facts.erase("condition");
    CHECK(problem_of(facts).condition() == ConditionKind::none);
    CHECK(differences(facts, facts_with(ConditionKind::none, 0)).empty());
    const auto found = differences(facts, facts_with(ConditionKind::cover, 0));
    REQUIRE(found.size() == 1);
    CHECK((found[0].key == "condition" && found[0].stored == "none" && found[0].now == "cover"));
    for (const char* sources : {"1", "65"}) {
        facts = facts_with(ConditionKind::source, 3);
        facts["classes"] = sources;
        CHECK_THROWS_WITH(problem_of(facts), Contains("expected 2 to 64 sources"));
    }
}
