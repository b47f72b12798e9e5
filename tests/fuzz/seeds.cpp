// Valid files, from the programs' own writers.
#include "kinds.hpp"

#include "app/configuration.hpp"

#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/io/safetensors.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/random/stream.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/schedule.hpp"

#include <ATen/ops/zeros.h>
#include <array>
#include <fstream>

namespace civitas::fuzz {
namespace {

namespace fs = std::filesystem;
using comm::Communicator;

void write_store(const fs::path& file, data::Content content) {
    constexpr std::int64_t side = 8;
    data::StoreHeader header{.crs_epsg = 2056, .crs_wkt = "LOCAL_CS[\"x\"]", .pixels = side};
    header.numbers["threshold"] = 0.5;
    header.texts["model"] = "a town";
    header.dropped["no road"] = 3;
    header.sources = {{"map.gpkg", "00112233445566778899aabbccddeeff"}};
    header.licence = "CC0";
    header.command = "made up";
    header.content = content;
    if (content == data::Content::rgb) header.label_names = {"cat", "dog"};
    std::vector<data::TileRecord> records(4);
    std::vector<std::uint8_t> pixels;
    const RandomStream classes(Seed{1}, Purpose::survey, {});
    for (std::size_t t = 0; t < records.size(); ++t) {
        records[t].easting = 250.0 * static_cast<double>(t);
        records[t].split = t == 3 ? data::Split::test : data::Split::train;
        records[t].label = t == 1 ? 1 : 0;
        for (std::int64_t p = 0; p < side * side * channels_of(content); ++p)
            pixels.push_back(static_cast<std::uint8_t>(classes.below(3, pixels.size())));
    }
    data::write_tile_store(Communicator::self(), file, header, records, pixels);
}

void write_checkpoint(const fs::path& folder) {
    const checkpoint::Header header{.step = StepIndex{7},
                                    .facts = {{"net", "dcgan-64"}, {"seed", "1"}},
                                    .notes = {{"mesh", "data=1"}},
                                    .configuration = "batch = 8\n"};
    const std::vector<checkpoint::Shard> shards{
        checkpoint::whole("/generator/parameters/a.weight", at::zeros({3, 4}, at::kFloat), true),
        checkpoint::whole("/generator/parameters/b.weight", at::zeros({5}, at::kDouble), true),
        checkpoint::whole("/discriminator/empty", at::zeros({0, 3}, at::kFloat), true)};
    static_cast<void>(checkpoint::save(Communicator::self(), folder, header, shards));
}

void write_schedules(const fs::path& folder) {
    for (const char* name : {"1f1b", "gan", "interleaved:2"}) {
        const schedule::ScheduleShape shape{.graph = schedule::gan::graph(),
                                            .coordinates = 2,
                                            .chunks = schedule::chunks_of(name),
                                            .micro_batches = 4};
        std::ofstream(folder / name) << to_string(schedule::make_schedule(name, shape));
    }
}

void write_ini(const fs::path& file) {
    const std::array words{"civitas train", "--tiles=tiles.h5", "--run=town", "--stages=3,2",
                           "--mesh=data=1,pipe=2"};
    std::ofstream(file)
        << app::parse_configuration(static_cast<int>(words.size()), words.data()).resolved;
}

void write_profile(const fs::path& file) {
    const profiling::Profile profile{
        .of = "a net",
        .timings = {{{{{0.1, 0.2, 0.3}, {0.1, 0, 2e-6}}, {{1, 2, 3}}}}, {{{{0.2, 0.2, 0.3}}}}},
        .memory_rate = 1e10,
        .link_rate = 5e9,
        .link_latency = 1e-6};
    std::ofstream(file) << to_json(profile);
}

void write_safetensors(const fs::path& file) {
    const std::array<float, 6> a{1, 2, 3, 4, 5, 6};
    const std::array<float, 1> b{0.5};
    io::write_safetensors(file, {{"format", "pt"}},
                          {{"conv1.weight", {1, 2, 3, 1}, a}, {"fc.bias", {1}, b}},
                          io::Replace::no);
}

}  // namespace

void write_seeds(const fs::path& folder) {
    for (const char* kind : {"store", "checkpoint", "schedule", "ini", "profile", "safetensors"})
        fs::create_directories(folder / kind);
    write_store(folder / "store" / "written.h5", data::Content::classes);
    write_store(folder / "store" / "images.h5", data::Content::rgb);
    write_checkpoint(folder / "checkpoint");
    write_schedules(folder / "schedule");
    write_ini(folder / "ini" / "resolved.ini");
    write_profile(folder / "profile" / "profile.json");
    write_safetensors(folder / "safetensors" / "net.safetensors");
    write_map_seeds(folder);
}

}  // namespace civitas::fuzz
