#include "generate_grid.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/report/sheet.hpp"

#include <sstream>

namespace civitas::app {
namespace {

constexpr std::int64_t most_along = 256;
constexpr std::int64_t most_candidates = 1'000'000;

quilt::GridSize parse_grid(const std::string& words) {
    std::istringstream in(words);
    quilt::GridSize size;
    char by = 0;
    const bool read = static_cast<bool>(in >> size.columns >> by >> size.rows);
    const auto fits = [](std::int64_t count) { return count >= 1 && count <= most_along; };
    if (!read || by != 'x' || in.peek() != EOF || !fits(size.columns) || !fits(size.rows))
        throw UsageError(
            text("--grid ", words, ": expected COLUMNSxROWS, 1 to ", most_along, " of each"),
            Hint{"--grid 4x3"});
    return size;
}

void require_multiple(std::int64_t pixels, std::int64_t side) {
    if (pixels % side == 0) return;
    throw UsageError(text("tiles of ", pixels, " pixels a side are no multiple of the generator's ",
                          side, ", which --grid needs"),
                     Hint{text("--pixels ", side * std::max<std::int64_t>(1, pixels / side))});
}

/// The root's tiles for a picture: every n-th pixel of every n-th row, so that the whole plan has
/// 4096 a side at most where there is a pixel of each tile.
class SmallMap {
public:
    SmallMap(quilt::GridSize tiles, std::int64_t pixels)
        : columns_(tiles.columns), pixels_(pixels) {
        constexpr std::int64_t most = 4096;
        const std::int64_t longest = std::max(tiles.columns, tiles.rows) * pixels;
        while (longest / every_ > most || pixels % every_ != 0) ++every_;
    }
    void add(const std::vector<std::uint8_t>& classes) {
        for (std::int64_t y = 0; y < pixels_; y += every_)
            for (std::int64_t x = 0; x < pixels_; x += every_)
                classes_.push_back(classes[static_cast<std::size_t>(y * pixels_ + x)]);
    }
    [[nodiscard]] io::Picture picture() const {
        return report::map_of_classes(classes_, pixels_ / every_, static_cast<int>(columns_));
    }

private:
    std::int64_t columns_, pixels_, every_ = 1;
    std::vector<std::uint8_t> classes_ = {};
};

}  // namespace

void add_grid_options(cli::Options& options, GridChoice& choice) {
    options
        .add("grid", choice.words,
             "COLUMNSxROWS: in the place of --count plans one of so many tiles that fit each other")
        .add("candidates", choice.candidates, "plans that --grid chooses from")
        .goes_with("candidates", "grid");
}

void check_grid_options(const cli::Options& options, const GridChoice& choice) {
    if (choice.words.empty()) return;
    (void)parse_grid(choice.words);
    if (options.given("count"))
        throw UsageError("--count and --grid exclude each other",
                         Hint{"--grid 4x3 draws one plan of 12 tiles"});
    if (choice.candidates < 1 || choice.candidates > most_candidates)
        throw UsageError(
            text("--candidates ", choice.candidates, ": expected 1 to ", most_candidates));
}

void draw_grid_into_store(const comm::Communicator& world, const inference::TrainedNet& generator,
                          const GridRequest& request, const GridOutput& output,
                          data::StoreHeader header, Log& log) {
    const quilt::GridSize tiles = parse_grid(request.choice.words);
    const std::int64_t pixels = header.pixels;
    comm::agree(world, [&] { require_multiple(pixels, generator.problem().nets.pixels()); });
    const inference::GridOptions options{tiles, request.choice.candidates, request.seed,
                                         request.wish, request.post_process};
    const auto plan = inference::GridPlan::draw(world, generator, options, log);
    header.texts["grid"] = request.choice.words;
    header.counts["candidates"] = static_cast<std::uint64_t>(options.candidates);
    data::StoreWriter writer(world, output.store, header, tiles.count(), output.replace);
    SmallMap map(tiles, pixels);
    for (std::int64_t row = 0; row < tiles.rows; ++row) {
        inference::Plans plans;
        comm::on_root(world, [&] {
            for (std::int64_t column = 0; column < tiles.columns; ++column) {
                const auto decoded = plan.tile(column, row, pixels);
                plans.add(
                    decoded,
                    {request.anchor.easting + static_cast<double>(column) * header.tile_metres,
                     request.anchor.northing - static_cast<double>(row) * header.tile_metres});
                if (!output.sheet.empty()) map.add(decoded.classes);
            }
        });
        writer.append(plans.records, plans.tiles);
    }
    writer.close();
    log.info(text("wrote ", output.store, ": a plan of ", tiles.columns, " x ", tiles.rows,
                  " tiles of ", pixels, " px, ", header.tile_metres, " m, seed ",
                  index(request.seed), "; where plans overlapped they differed by ",
                  fixed(100 * std::sqrt(plan.overlap_error()), 0), " % (root mean square)"));
    if (output.sheet.empty()) return;
    comm::on_root(world, [&] { io::write_png(output.sheet, map.picture(), output.replace); });
    log.info("wrote " + output.sheet);
}

}  // namespace civitas::app
