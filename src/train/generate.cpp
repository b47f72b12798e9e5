#include "command_files.hpp"
#include "commands.hpp"
#include "generator.hpp"
#include "machine.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/report/sheet.hpp"

namespace civitas::train {
namespace {

struct GenerateOptions {
    std::string checkpoint;
    std::int64_t count = 64;
    std::uint64_t seed = 1;
    std::string output;
    std::string sheet;
    std::string anchor = "0,0";
    std::int64_t pixels = 0;
    bool overwrite = false;
    std::string config;
};

struct Anchor {
    double easting = 0;
    double northing = 0;
};

Anchor parse_anchor(const std::string& words) {
    std::istringstream in(words);
    Anchor anchor;
    char comma = 0;
    if (!(in >> anchor.easting >> comma >> anchor.northing) || comma != ',' || in.peek() != EOF)
        throw UsageError(text("--anchor ", words, ": expected easting,northing in metres"),
                         Hint{"--anchor 2600000,1200000"});
    return anchor;
}

GenerateOptions parse(Arguments arguments, const cli::ReadFile& read) {
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
        .add("anchor", o.anchor, "easting,northing of the plans' north-west corner")
        .add("pixels", o.pixels, "side of a stored plan (0: that of the tiles learnt from)")
        .required("checkpoint")
        .required("output");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    constexpr std::int64_t most = 100'000'000;
    if (o.count < 1 || o.count > most)
        throw UsageError(text("--count ", o.count, ": expected 1 to ", most));
    if (o.pixels < 0 || o.pixels > 16384)
        throw UsageError(text("--pixels ", o.pixels, ": expected 0 to 16384"));
    (void)parse_anchor(o.anchor);
    return o;
}

/// This rank's plans as tiles of a store.
struct Plans {
    std::vector<data::TileRecord> records;
    std::vector<std::uint8_t> pixels;
};

float variance_of(const std::vector<std::uint8_t>& classes) {
    std::array<std::int64_t, 3> counts{};
    for (const std::uint8_t c : classes) ++counts.at(c);
    return data::variance_of(counts);
}

/// Plans lie side by side on a square grid that only their number decides: 64 columns.
data::TileRecord place(std::int64_t plan, Anchor anchor, double metres) {
    constexpr std::int64_t columns = 64;
    const std::int64_t column = plan % columns;
    const std::int64_t row = plan / columns;
    data::TileRecord record;
    record.easting = anchor.easting + static_cast<double>(column) * metres;
    record.northing = anchor.northing - static_cast<double>(row) * metres;
    return record;
}

Plans draw(const TrainedGenerator& generator, const GenerateOptions& o, Range mine,
           const data::StoreHeader& header) {
    Plans plans;
    const auto coding = data::parse_coding(generator.task().coding);
    const Anchor anchor = parse_anchor(o.anchor);
    for (std::int64_t i = mine.begin; i < mine.end(); ++i) {
        const at::Tensor image = generator.draw(Seed{o.seed}, {i, 1})[0];
        const data::Decoded decoded = data::decode(image, coding, header.pixels);
        data::TileRecord record = place(i, anchor, header.tile_metres);
        record.cover = decoded.cover;
        record.variance = variance_of(decoded.classes);
        plans.records.push_back(record);
        plans.pixels.insert(plans.pixels.end(), decoded.classes.begin(), decoded.classes.end());
    }
    return plans;
}

data::StoreHeader header_for(const TrainedGenerator& generator, const GenerateOptions& o) {
    data::StoreHeader header;
    header.crs_epsg = static_cast<std::int64_t>(generator.number("crs-epsg"));
    header.tile_metres = generator.number("tile-metres");
    header.pixels =
        o.pixels > 0 ? o.pixels : static_cast<std::int64_t>(generator.number("tile-pixels"));
    header.texts = {{"synthetic", "true"},
                    {"fingerprint", hex(generator.contents().fingerprint)},
                    {"net", generator.task().net}};
    header.numbers = {{"seed", static_cast<double>(o.seed)},
                      {"step", static_cast<double>(index(generator.contents().header.step))}};
    header.sources = {{text("generator ", hex(generator.contents().fingerprint)), ""}};
    header.licence = "synthetic: drawn by a generator, no survey of any place";
    header.command = text("civitas generate --seed ", o.seed, " --count ", o.count);
    return header;
}

void write_sheet(const comm::Communicator& world, const GenerateOptions& o, const Plans& plans,
                 std::int64_t pixels) {
    constexpr std::size_t most = 64;
    const auto area = static_cast<std::size_t>(pixels * pixels);
    const std::span<const std::uint8_t> mine(plans.pixels);
    auto all = world.all_gather(mine.first(std::min(mine.size(), most * area)));
    all.resize(std::min(all.size(), most * area));
    comm::agree(world, [&] {
        if (world.is_root()) io::write_png(o.sheet, report::sheet_of_classes(all, pixels, 8, 192));
    });
}

io::CommandFiles files_of(const GenerateOptions& o) {
    io::CommandFiles files{
        {{"--config", o.config}}, {{"--output", o.output}, {"--sheet", o.sheet}}, o.overwrite};
    add_run(files.reads, "--checkpoint", o.checkpoint);
    return files;
}

}  // namespace

comm::Exit generate_command(const comm::Communicator& world, Arguments arguments) {
    const auto o =
        cli::agreed_options(world, [&](const auto& read) { return parse(arguments, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, files_of(o));
    set_threads(world, "auto", log);
    (void)agreed_instruction_set(world);
    const auto generator = TrainedGenerator::load(world, o.checkpoint, log);
    const auto header = comm::agree(world, [&] { return header_for(generator, o); });
    const Plans plans = comm::agree(world, [&] {
        return draw(generator, o, share_of(o.count, index(world.rank()), world.size()), header);
    });
    data::write_tile_store(world, o.output, header, plans.records, plans.pixels);
    log.say(text("wrote ", o.output, ": ", o.count, " plans of ", header.pixels, " px, ",
                 header.tile_metres, " m, seed ", o.seed));
    if (!o.sheet.empty()) {
        write_sheet(world, o, plans, header.pixels);
        log.say("wrote " + o.sheet);
    }
    return comm::Exit::done;
}

}  // namespace civitas::train
