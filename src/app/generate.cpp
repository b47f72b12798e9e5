#include "command_files.hpp"
#include "commands.hpp"
#include "generate_grid.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/base/log.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/conditions/wish.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/data/post_process.hpp"
#include "civitas/data/store_writer.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/inference/first_plans.hpp"
#include "civitas/inference/trained_net.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/runs/ground_notes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace civitas::app {
namespace {

using inference::Anchor;
using inference::parse_anchor;
using inference::Plans;

struct GenerateOptions {
    std::string checkpoint;
    std::int64_t count = 64;
    std::uint64_t seed = 1;
    std::string output;
    std::string sheet;
    std::string anchor;
    conditions::WishWords wish;
    std::int64_t pixels = 0;
    bool post_process = true;
    GridChoice grid;
    bool overwrite = false;
    std::string config;
};

GenerateOptions parse_generate(Arguments arguments, const cli::ReadFile& read) {
    GenerateOptions o;
    cli::Options options("civitas generate",
                         "Draws plans from a trained generator. Plan i depends on "
                         "the seed and i alone.");
    options.add("checkpoint", o.checkpoint, "run folder or checkpoint file")
        .add("count", o.count, "plans to draw")
        .add("seed", o.seed, "of the noise")
        .add("output", o.output, "tile store to write")
        .add("sheet", o.sheet, "PNG with the first 64 plans")
        .add("overwrite", o.overwrite, "replace outputs that exist")
        .add("anchor", o.anchor,
             "easting,northing of the plans' north-west corner; without it they lie at no place")
        .add("cover", o.wish.cover,
             "BUILDING,ROAD: shares wished, of a generator trained with --condition cover")
        .add("like", o.wish.like,
             "source that plans are to be like, of one trained with --condition source")
        .add("pixels", o.pixels, "side of a stored plan (0: that of the tiles learnt from)")
        .required("checkpoint")
        .required("output");
    options.add("post-process", o.post_process,
                "smooth outlines, join roads over short gaps; =false: as they are drawn");
    add_grid_options(options, o.grid);
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    check_grid_options(options, o.grid);
    constexpr std::int64_t most = 100'000'000;
    if (o.count < 1 || o.count > most)
        throw UsageError(text("--count ", o.count, ": expected 1 to ", most));
    if (o.pixels < 0 || o.pixels > 16384)
        throw UsageError(text("--pixels ", o.pixels, ": expected 0 to 16384"));
    (void)parse_anchor(o.anchor);
    conditions::check(o.wish);
    return o;
}

/// Plans lie on a square grid, by their number alone, with a fifth of a tile between them. They
/// fill it in shells around the first, so that however many there are they make a square.
Anchor place(std::int64_t plan, Anchor anchor, double metres) {
    constexpr double pitch = 1.2;
    auto shell = static_cast<std::int64_t>(std::sqrt(static_cast<double>(plan)));
    while (shell * shell > plan) --shell;
    while ((shell + 1) * (shell + 1) <= plan) ++shell;
    const std::int64_t along = plan - shell * shell;
    const bool down = along <= shell;  // the shell's eastern side, then its southern one
    return {anchor.easting + static_cast<double>(down ? shell : along - shell - 1) * pitch * metres,
            anchor.northing - static_cast<double>(down ? along : shell) * pitch * metres};
}

Plans draw(const inference::TrainedNet& generator, const GenerateOptions& o, Range mine,
           const data::StoreHeader& header, const conditions::Wish& wish) {
    Plans plans;
    const auto coding = generator.problem().coding();
    const Anchor anchor = parse_anchor(o.anchor);
    for (std::int64_t i = mine.begin; i < mine.end(); i += inference::plans_at_once) {
        const Range some{i, std::min(inference::plans_at_once, mine.end() - i)};
        const at::Tensor images = inference::draw(generator, Seed{o.seed}, some, wish);
        for (std::int64_t k = 0; k < some.count; ++k) {
            const at::Tensor stored =
                o.post_process ? data::post_processed(images[k], coding) : images[k];
            plans.add({data::classes_of(stored, coding, header.pixels),
                       data::cover_of(images[k], coding)},
                      place(i + k, anchor, header.tile_metres));
        }
    }
    return plans;
}

/// The plans' own licence, and that of the tiles the generator has learnt from.
std::string licence_of(const inference::TrainedNet& generator) {
    std::string words = "synthetic: drawn by a generator, no survey of any place";
    const auto learnt = runs::licence_in(generator.contents().header.notes);
    if (!learnt.empty()) words += "; learnt from tiles under: " + learnt;
    return words;
}

/// What draws the same plans of the same checkpoint.
std::string redrawn_by(const GenerateOptions& o, std::int64_t pixels) {
    const bool grid = !o.grid.words.empty();
    const auto said = [](const char* option, const std::string& value) {
        return value.empty() ? "" : text(option, shell_quoted(value));
    };
    return text("civitas generate --seed ", o.seed,
                grid ? text(" --grid ", o.grid.words, " --candidates ", o.grid.candidates)
                     : text(" --count ", o.count),
                grid || o.pixels > 0 ? text(" --pixels ", pixels) : "",
                o.post_process ? "" : " --post-process=false", said(" --cover ", o.wish.cover),
                said(" --like ", o.wish.like), said(" --anchor ", o.anchor));
}

data::StoreHeader header_for(const inference::TrainedNet& generator, const GenerateOptions& o,
                             const conditions::Wish& wish) {
    data::StoreHeader header = inference::ground_of(generator);
    inference::require_metres(o.anchor, header);
    if (o.pixels > 0) header.pixels = o.pixels;
    header.texts = {{"synthetic", "true"},
                    {"fingerprint", hex(generator.contents().fingerprint)},
                    {"net", generator.problem().nets.choice().net},
                    {"anchor", o.anchor.empty() ? "none" : o.anchor},
                    {"wish", conditions::to_text(wish, generator.conditions())}};
    header.counts = {{"seed", o.seed},
                     {"step", static_cast<std::uint64_t>(index(generator.contents().header.step))}};
    header.sources = {{text("generator ", hex(generator.contents().fingerprint)), ""}};
    header.licence = licence_of(generator);
    header.texts["post-process"] = o.post_process ? "true" : "false";
    header.command = redrawn_by(o, header.pixels);
    return header;
}

/// How many plans all ranks together draw between two writes: a rank holds few packed ones.
std::int64_t batch_size(const comm::Communicator& world, std::int64_t pixels) {
    constexpr std::int64_t most_bytes = std::int64_t{16} << 20, most_plans = 256;
    return world.size() * std::clamp<std::int64_t>(most_bytes / (pixels * pixels), 1, most_plans);
}

/// Draw batch by batch, and write each before the next.
void draw_into_store(const comm::Communicator& world, const inference::TrainedNet& generator,
                     const GenerateOptions& o, const data::StoreHeader& header,
                     const conditions::Wish& wish, Log& log) {
    const io::Replace replace = io::replace_if(o.overwrite);
    data::StoreWriter writer(world, o.output, header, o.count, replace);
    inference::FirstPlans first;
    std::optional<Progress> progress;
    if (world.is_root()) progress.emplace(log, "drawing", o.count);
    const std::int64_t most = batch_size(world, header.pixels);
    for (std::int64_t begin = 0; begin < o.count; begin += most) {
        const Range batch{begin, std::min(most, o.count - begin)};
        Range mine = block_range(batch.count, index(world.rank()), world.size());
        mine.begin += begin;
        const Plans plans =
            comm::agree(world, [&] { return draw(generator, o, mine, header, wish); });
        writer.append(plans.records, plans.tiles);
        if (!o.sheet.empty()) first.take(world, plans.tiles, header.pixels);
        if (progress) progress->advance(batch.end());
    }
    writer.close();
    log.info(text("wrote ", o.output, ": ", o.count, " plans of ", header.pixels, " px, ",
                  header.tile_metres, " m, seed ", o.seed));
    if (o.sheet.empty()) return;
    comm::on_root(world, [&] { io::write_png(o.sheet, first.sheet(), replace); });
    log.info("wrote " + o.sheet);
}

io::CommandFiles files_of(const GenerateOptions& o) {
    io::CommandFiles files{{{"--config", o.config}},
                           {{"--output", o.output, {io::FileFormat::hdf5}},
                            {"--sheet", o.sheet, {io::FileFormat::png}}},
                           o.overwrite};
    add_run(files, "--checkpoint", o.checkpoint);
    return files;
}

}  // namespace

Exit generate_command(const comm::Communicator& world, Arguments arguments) {
    const auto o = cli::agreed_options(
        world, [&](const auto& read) { return parse_generate(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, [&] { return files_of(o); });
    environment::set_threads(world, std::nullopt, log);
    (void)environment::agreed_instruction_set(world);
    const auto generator =
        inference::TrainedNet::load(world, o.checkpoint, inference::generator_of, log);
    const conditions::Wish wish = comm::agree(world, [&] {
        return conditions::wish_in(o.wish, generator.conditions(), generator.file().string());
    });
    auto header = comm::agree(world, [&] { return header_for(generator, o, wish); });
    const std::string warning = conditions::warning_of(wish, generator.conditions());
    if (world.is_root() && !warning.empty()) log.warn(warning);
    if (world.is_root() && !o.anchor.empty() && header.crs_epsg == 0 && header.crs_wkt.empty())
        log.warn("the checkpoint names no coordinate system: --anchor is in metres without one");
    if (o.grid.words.empty())
        draw_into_store(world, generator, o, header, wish, log);
    else
        draw_grid_into_store(world, generator,
                             {o.grid, Seed{o.seed}, wish, o.post_process, parse_anchor(o.anchor)},
                             {o.output, o.sheet, io::replace_if(o.overwrite)}, header, log);
    return Exit::done;
}

}  // namespace civitas::app
