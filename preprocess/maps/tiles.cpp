#include "tiles.hpp"

#include "account.hpp"
#include "bar.hpp"
#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "edge.hpp"
#include "outliers.hpp"
#include "reader.hpp"
#include "review.hpp"
#include "summary.hpp"

#include <algorithm>
#include <utility>

namespace civitas::maps {
namespace {

using comm::Communicator;

/// What is told of the work as a whole, kept for a report.
class Teller {
public:
    explicit Teller(Log& log) : log_(log) {}
    void tell(std::string line) {
        log_.info(line);
        said_.push_back(std::move(line));
    }
    [[nodiscard]] const std::vector<std::string>& said() const { return said_; }

private:
    Log& log_;
    std::vector<std::string> said_ = {};
};

Plan plan_together(const Communicator& ranks, const Settings& settings, OpenMaps& maps,
                   Teller& teller) {
    const auto words = comm::agree(
        ranks, [&] { return ranks.is_root() ? to_text(make_plan(settings, maps)) : ""; });
    auto plan = plan_from_text(ranks.broadcast(std::string(words)));
    for (const auto& note : plan.notes) teller.tell(note);
    return plan;
}

/// Each task is read by one rank.
MapContent read_together(const Communicator& ranks, const Plan& plan, const Settings& settings,
                         OpenMaps& maps, Log& log) {
    std::vector<std::size_t> own;
    for (auto i = static_cast<std::size_t>(index(ranks.rank())); i < plan.tasks.size();
         i += static_cast<std::size_t>(ranks.size()))
        own.push_back(i);
    comm::agree(ranks, [&] {
        if (!ranks.is_root()) require_same_files(plan, own);
    });
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
                   MapContent& content, Teller& teller, Log& log) {
    const auto counts = total(ranks, content.counts);
    const auto left_out = total(ranks, content.left_out);
    teller.tell(what_was_read(settings, plan, counts));
    comm::agree(ranks, [&] { require_meant(settings, plan, counts, left_out); });
    const auto edge = edge_of(settings, plan, counts);
    const bool by_hull = !settings.keep_edge && edge == EdgeOf::hull;
    if (by_hull) leave_out_strays(ranks, plan, content);
    leave_out_giants(ranks, plan, content);
    for (const auto& warning : content.warnings) log.warn(warning);
    if (settings.keep_edge) return "";
    if (by_hull) add_hulls(ranks, plan, settings.tile_metres, content.shapes);
    return name_of(edge);
}

Box ground_of(const Communicator& ranks, const Shapes& mine) {
    Box own;
    for (std::int64_t i = 0; i < mine.size(); ++i)
        if (mine.at(i).value != LandClass::other) own.include(mine.at(i).box());
    Box ground;
    for (const auto& box : ranks.all_gather(own)) ground.include(box);
    return ground;
}

Grid grid_over(const Communicator& ranks, const Settings& settings, const Plan& plan,
               const MapContent& content) {
    const auto ground = ground_of(ranks, content.shapes);
    const auto left_out = ground.empty() ? largest_of(total(ranks, content.left_out)) : "";
    return comm::agree(ranks, [&] {
        if (ground.empty())
            throw Error(text("the maps hold no buildings and no roads",
                             left_out.empty() ? "" : " that are taken; left out: ", left_out),
                        Hint{"look at the layers and values with ogrinfo"});
        require_true_scale(parse_crs(plan.target_crs),
                           {(ground.min_x + ground.max_x) / 2, (ground.min_y + ground.max_y) / 2});
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

/// Show all ranks the cells, ascending, as many at a time as they may hold tiles of. Each sees its
/// share with the buildings and roads on it and, where asked, the other ground. Collective.
template <class Visit>
void go_over(const Communicator& ranks, const Settings& settings, const Grid& grid,
             const Shapes& mine, const std::vector<std::int64_t>& cells, bool other_too, Bar& bar,
             Visit&& visit) {
    std::vector<LandClass> wanted{LandClass::road, LandClass::building};
    if (other_too) wanted.push_back(LandClass::other);
    Sweep sweep(ranks, grid, mine, wanted);
    const auto all = std::ssize(cells), most = ranks.size() * most_tiles_held(settings.pixels);
    for (std::int64_t begin = 0; begin < all; begin += most) {
        const Range batch{begin, std::min(most, all - begin)};
        visit(sweep.next(std::span(cells).subspan(static_cast<std::size_t>(batch.begin),
                                                  static_cast<std::size_t>(batch.count))),
              batch);
        bar.advance(batch.end());
    }
}

/// What this rank finds on its share of the cells and, on the root where a report is asked for,
/// what all have looked at.
Findings look_together(const Communicator& ranks, const Settings& settings, const Grid& grid,
                       const Shapes& mine, const std::vector<std::int64_t>& cells, Log& log) {
    const Demand demand{{settings.min_building, settings.min_road}, !settings.keep_edge};
    Cutter cutter(grid, settings.pixels);
    Findings findings;
    std::vector<map_report::LookedAt> everywhere;
    Bar bar(ranks, log, "looking at tiles", std::ssize(cells));
    go_over(ranks, settings, grid, mine, cells, demand.within_edge, bar,
            [&](const LocalMap& map, Range) {
                comm::agree(ranks, [&] { cutter.look(map, demand, findings); });
                const auto mine_now = std::exchange(findings.looked_at, {});
                if (settings.report.empty()) return;
                const auto now = ranks.all_gather(std::span(mine_now));
                if (ranks.is_root()) everywhere.insert(everywhere.end(), now.begin(), now.end());
            });
    findings.looked_at = std::move(everywhere);
    return findings;
}

void cut_together(const Communicator& ranks, const Settings& settings, const Grid& grid,
                  const Shapes& mine, const Chosen& chosen, TileSink& sink, Log& log) {
    Cutter cutter(grid, settings.pixels);
    Bar bar(ranks, log, "cutting tiles", std::ssize(chosen.cells));
    go_over(ranks, settings, grid, mine, chosen.cells, false, bar,
            [&](const LocalMap& map, Range batch) {
                auto cuttings = comm::agree(ranks, [&] { return cutter.cut(map); });
                const auto share = block_range(batch.count, index(ranks.rank()), ranks.size());
                auto next = static_cast<std::size_t>(batch.begin + share.begin);
                for (auto& record : cuttings.records) record.split = chosen.splits[next++];
                sink.take(cuttings.records, cuttings.tiles);
            });
}

void count_tiles(const Communicator& ranks, const Grid& grid, std::size_t cells,
                 const Findings& findings, const Chosen& chosen, const Settings& settings,
                 const std::string& edge, Tally& left_out) {
    if (ranks.is_root()) {
        left_out[without_features] += grid.cells() - static_cast<std::int64_t>(cells);
        if (!chosen.flat.empty())
            left_out[name_of(Fate::flat, settings)] += std::ssize(chosen.flat);
        if (!chosen.across.empty())
            left_out[name_of(Fate::across, settings)] += std::ssize(chosen.across);
    }
    left_out[name_of(Fate::few_buildings, settings)] += findings.too_few_buildings;
    left_out[name_of(Fate::few_roads, settings)] += findings.too_few_roads;
    if (!edge.empty()) left_out[name_of(Fate::cut_by_edge, settings, edge)] += findings.cut_by_edge;
}

void tell(const Settings& settings, const Plan& plan, const Grid& grid, const Totals& totals,
          Teller& teller, Log& log) {
    teller.tell(text("grid: ", grid.block().columns.count, " x ", grid.block().rows.count,
                     " tiles of ", settings.tile_metres, " m every ", settings.stride_metres,
                     " m in ", name_of(parse_crs(plan.target_crs))));
    for (const auto& line : areas_in_words(totals)) teller.tell(line);
    report_left_out(totals.left_out, log);
}

}  // namespace

std::int64_t most_tiles_held(std::int64_t pixels) {
    constexpr std::int64_t most_bytes = std::int64_t{16} << 20, most = 256;
    return std::clamp<std::int64_t>(most_bytes / (pixels * pixels), 1, most);
}

void make_tiles(const Communicator& ranks, const Settings& settings, TileSink& sink, Log& log) {
    Gdal gdal;
    OpenMaps maps(gdal, {settings.skip_damaged, {settings.arc_step}});
    Teller teller(log);
    const auto plan = plan_together(ranks, settings, maps, teller);
    auto content = read_together(ranks, plan, settings, maps, log);
    const auto edge = review(ranks, plan, settings, content, teller, log);
    const auto grid = grid_over(ranks, settings, plan, content);
    auto cells = cells_to_cut(ranks, settings, grid, content.shapes);
    auto findings = look_together(ranks, settings, grid, content.shapes, cells, log);
    const auto chosen =
        choose(grid, settings, ranks.all_gather(std::span<const Passed>(findings.passed)));
    count_tiles(ranks, grid, cells.size(), findings, chosen, settings, edge, content.left_out);

    Totals totals;
    totals.left_out = total(ranks, content.left_out);
    sum_areas(ranks, findings.areas, settings.tile_metres / static_cast<double>(settings.pixels),
              totals);
    totals.cut_by_edge = ranks.sum(findings.cut_by_edge);
    totals.edge = edge;
    totals.tiles = std::ssize(chosen.cells);
    totals.test_tiles = count_test(chosen);
    totals.most = {ranks.max(findings.most.building), ranks.max(findings.most.road)};
    tell(settings, plan, grid, totals, teller, log);
    const auto header = make_header(settings, plan, totals, chosen.variance_threshold);
    if (!settings.report.empty()) {
        map_report::Account account{.system = name_of(parse_crs(plan.target_crs)),
                                    .read = sources_read(plan),
                                    .said = teller.said(),
                                    .left_out = totals.left_out};
        if (ranks.is_root())
            account.ground = ground_of(settings, grid, std::move(cells),
                                       std::move(findings.looked_at), chosen, edge);
        sink.explain(std::move(account));
    }
    if (totals.tiles == 0) sink.keep_none(header, log);
    comm::agree(ranks, [&] { require_tiles(totals, settings); });
    log.info(text(totals.tiles, " tiles: ", totals.tiles - totals.test_tiles, " to train, ",
                  totals.test_tiles, " to test"));
    sink.begin(header, totals.tiles);
    cut_together(ranks, settings, grid, content.shapes, chosen, sink, log);
}

}  // namespace civitas::maps
