#include "preprocess/maps/program.hpp"

#include "civitas/base/error.hpp"
#include "civitas/cli/program.hpp"
#include "civitas/io/outputs.hpp"
#include "preprocess/maps/edge.hpp"
#include "preprocess/maps/preview.hpp"
#include "preprocess/maps/reader.hpp"
#include "preprocess/maps/review.hpp"
#include "preprocess/maps/source.hpp"
#include "preprocess/maps/summary.hpp"
#include "preprocess/survey/survey.hpp"

#include <filesystem>
#include <iostream>

namespace civitas::maps {
namespace {

namespace fs = std::filesystem;
using comm::Communicator;
using data::LandClass;

/// Draws progress on the first rank only.
class Bar {
public:
    Bar(const Communicator& ranks, Log& log, const std::string& title, std::int64_t total) {
        if (ranks.is_root()) progress_.emplace(log, title, total);
    }
    void advance(std::int64_t done) {
        if (progress_) progress_->advance(done);
    }

private:
    std::optional<Progress> progress_;
};

fs::path sample_file(const Settings& settings) {
    return fs::path(settings.output).replace_filename("sample.gpkg");
}

/// All that is read and written. A map that is missing is told of when it is opened.
io::CommandFiles command_files(const Settings& settings) {
    io::CommandFiles files{{{"--config", settings.config}},
                           {{"--output", settings.output}, {"--preview", settings.preview}},
                           settings.overwrite};
    if (settings.sample) files.writes.push_back({"the map of --sample", sample_file(settings)});
    for (const fs::path input : settings.inputs)
        if (fs::exists(input))
            for (const auto& file : files_of(input)) files.reads.push_back({"INPUT", file});
    return files;
}

/// The built-in survey, as an input like any other.
Settings with_sample(const Communicator& ranks, Settings settings, Log& log) {
    if (!settings.sample) return settings;
    const auto survey = sample_file(settings);
    comm::agree(ranks, [&] {
        if (ranks.is_root())
            survey::write_survey(survey, Seed{*settings.sample},
                                 io::replace_if(settings.overwrite));
    });
    log.say(text("wrote the survey of town ", *settings.sample, " to ", survey.string()));
    settings.inputs = {survey.string()};
    return settings;
}

Plan plan_together(const Communicator& ranks, const Settings& settings, OpenMaps& maps, Log& log) {
    const auto words = comm::agree(
        ranks, [&] { return ranks.is_root() ? to_text(make_plan(settings, maps)) : ""; });
    auto plan = plan_from_text(ranks.broadcast(std::string(words)));
    for (const auto& note : plan.notes) log.say(note);
    return plan;
}

/// Each task is read by one rank.
MapContent read_together(const Communicator& ranks, const Plan& plan, const Settings& settings,
                         OpenMaps& maps, Log& log) {
    std::vector<std::size_t> own;
    for (auto i = static_cast<std::size_t>(index(ranks.rank())); i < plan.tasks.size();
         i += static_cast<std::size_t>(ranks.size()))
        own.push_back(i);
    constexpr double steps = 1000;
    Bar bar(ranks, log, "reading", static_cast<std::int64_t>(steps));
    auto content = comm::agree(ranks, [&] {
        return read_tasks(plan, own, settings, maps, [&](double share) {
            bar.advance(static_cast<std::int64_t>(share * steps));
        });
    });
    for (const auto& warning : content.warnings) log.warn(warning);
    content.warnings.clear();
    return content;
}

/// Say what was read, refuse what cannot be meant, and find where the data ends.
std::string review(const Communicator& ranks, const Plan& plan, const Settings& settings,
                   MapContent& content, Log& log) {
    const auto counts = total(ranks, content.counts);
    const auto left_out = total(ranks, content.left_out);
    log.say(what_was_read(settings, plan, counts));
    comm::agree(ranks, [&] { require_meant(settings, plan, counts, left_out); });
    leave_out_giants(ranks, plan, content);
    for (const auto& warning : content.warnings) log.warn(warning);
    if (settings.keep_edge) return "";
    const auto edge = edge_of(settings, plan, counts);
    if (edge == EdgeOf::hull) add_hull(ranks, content.shapes);
    return name_of(edge);
}

Box ground_of(const Communicator& ranks, const Shapes& mine) {
    Box own;
    for (std::int64_t i = 0; i < mine.size(); ++i)
        if (mine.at(i).value != LandClass::other) own.include(mine.at(i).box);
    Box ground;
    for (const auto& box : ranks.all_gather(own)) ground.include(box);
    return ground;
}

Grid grid_over(const Communicator& ranks, const Settings& settings, const Shapes& mine) {
    const auto ground = ground_of(ranks, mine);
    return comm::agree(ranks, [&] {
        if (ground.empty())
            throw Error("the maps hold no buildings and no roads",
                        Hint{"look at the layers and values with ogrinfo"});
        return Grid({settings.tile_metres, settings.stride_metres}, ground);
    });
}

/// The cells worth cutting: those that can pass the thresholds.
std::vector<std::int64_t> cells_to_cut(const Communicator& ranks, const Settings& settings,
                                       const Grid& grid, const Shapes& mine) {
    if (settings.min_building > 0) return occupied_cells(ranks, grid, mine, {LandClass::building});
    if (settings.min_road > 0) return occupied_cells(ranks, grid, mine, {LandClass::road});
    std::vector<std::int64_t> all(static_cast<std::size_t>(grid.cells()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    return all;
}

Cuttings cut_together(const Communicator& ranks, const Settings& settings, const Grid& grid,
                      const Shapes& mine, const std::vector<std::int64_t>& cells, Log& log) {
    const auto share =
        share_of(static_cast<std::int64_t>(cells.size()), index(ranks.rank()), ranks.size());
    const auto map =
        share_out(ranks, grid, mine, {cells.begin() + share.begin, cells.begin() + share.end()});
    Bar bar(ranks, log, "cutting tiles", share.count);
    return comm::agree(ranks, [&] {
        const Demand demand{{settings.min_building, settings.min_road}, !settings.keep_edge};
        return cut_tiles(grid, settings.pixels, map, demand,
                         [&](std::int64_t done) { bar.advance(done); });
    });
}

void count_tiles(const Communicator& ranks, const Grid& grid, std::size_t cells,
                 const Cuttings& cuttings, const Settings& settings, Tally& left_out) {
    if (ranks.is_root())
        left_out["tiles with none of the wanted features"] +=
            grid.cells() - static_cast<std::int64_t>(cells);
    left_out[text("tiles of less than ", settings.min_building, " buildings")] +=
        cuttings.too_few_buildings;
    left_out[text("tiles of enough buildings, of less than ", settings.min_road, " roads")] +=
        cuttings.too_few_roads;
}

std::int64_t count_test(const std::vector<data::TileRecord>& records) {
    std::int64_t count = 0;
    for (const auto& record : records) count += record.split == data::Split::test ? 1 : 0;
    return count;
}

void tell(const Settings& settings, const Plan& plan, const Grid& grid, const Totals& totals,
          Log& log) {
    log.say(text("grid: ", grid.block().columns.count, " x ", grid.block().rows.count, " tiles of ",
                 settings.tile_metres, " m every ", settings.stride_metres, " m in ",
                 name_of(parse_crs(plan.target_crs))));
    report_areas(totals, log);
    log.say("left out or mended:");
    report_left_out(totals.left_out, log);
}

}  // namespace

Tiles make_tiles(const Communicator& ranks, const Settings& settings, Log& log) {
    Gdal gdal;
    OpenMaps maps(gdal, settings.skip_damaged);
    const auto plan = plan_together(ranks, settings, maps, log);
    auto content = read_together(ranks, plan, settings, maps, log);
    const auto edge = review(ranks, plan, settings, content, log);
    const auto grid = grid_over(ranks, settings, content.shapes);
    const auto cells = cells_to_cut(ranks, settings, grid, content.shapes);
    auto cuttings = cut_together(ranks, settings, grid, content.shapes, cells, log);
    count_tiles(ranks, grid, cells.size(), cuttings, settings, content.left_out);
    if (!edge.empty())
        content.left_out[text("tiles cut by the edge of the data (", edge, ")")] +=
            cuttings.cut_by_edge;
    auto chosen = choose(ranks, settings, cuttings, content.left_out);

    Totals totals;
    totals.left_out = total(ranks, content.left_out);
    sum_areas(ranks, cuttings.areas, settings.tile_metres / static_cast<double>(settings.pixels),
              totals);
    totals.cut_by_edge = ranks.sum(cuttings.cut_by_edge);
    totals.edge = edge;
    totals.tiles = ranks.sum(static_cast<std::int64_t>(chosen.records.size()));
    totals.test_tiles = ranks.sum(count_test(chosen.records));
    totals.most = {ranks.max(cuttings.most.building), ranks.max(cuttings.most.road)};
    tell(settings, plan, grid, totals, log);
    comm::agree(ranks, [&] { require_tiles(totals, settings); });
    log.say(text(totals.tiles, " tiles: ", totals.tiles - totals.test_tiles, " to train, ",
                 totals.test_tiles, " to test"));
    return {make_header(settings, plan, totals, chosen.variance_threshold),
            std::move(chosen.records), std::move(chosen.tiles)};
}

void preprocess(const Communicator& ranks, const Settings& asked, Log& log) {
    comm::agree(ranks, [&] { validate(asked); });
    io::agree_on_outputs(ranks, comm::agree(ranks, [&] { return command_files(asked); }));
    const auto settings = with_sample(ranks, asked, log);
    const auto tiles = make_tiles(ranks, settings, log);
    const io::Replace replace = io::replace_if(settings.overwrite);
    data::StoreWriter store(ranks, settings.output, tiles.header,
                            ranks.sum(std::ssize(tiles.records)), replace);
    store.append(tiles.records, tiles.tiles);
    store.close();
    log.say(text("wrote ", settings.output));
    if (settings.preview.empty()) return;
    write_preview(ranks, settings.preview, tiles.tiles, settings.pixels, replace);
    log.say(text("wrote ", settings.preview));
}

comm::Exit preprocess_command(const Communicator& ranks, int argc, char** argv) {
    Log log(ranks.rank());
    const auto settings = cli::agreed_options(
        ranks, [&](const auto& read) { return read_settings(argc, argv, read); });
    preprocess(ranks, settings, log);
    return comm::Exit::done;
}

}  // namespace civitas::maps
