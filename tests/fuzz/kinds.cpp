#include "kinds.hpp"

#include "app/configuration.hpp"
#include "checkpoint/seal.hpp"

#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/safetensors_file.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/schedule.hpp"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <array>
#include <fstream>

namespace civitas::fuzz {
namespace {

namespace fs = std::filesystem;
using comm::Communicator;

/// As `civitas inspect` does: the first tiles stand for all.
void read_store(const fs::path& file) {
    constexpr std::int64_t enough = 8;
    static_cast<void>(hdf5::H5File::open(file).has("/tiles"));
    const auto store = data::TileStore::open(Communicator::self(), file);
    static_cast<void>(store.rows(data::Split::test));
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(store.header().tile_bytes()));
    for (std::int64_t t = 0; t < std::min(store.size(), enough); ++t)
        store.read(TileIndex{t}, pixels);
}

void read_checkpoint(const fs::path& file) {
    static_cast<void>(checkpoint::is_sealed(file));
    const auto contents = checkpoint::read_contents(file);
    static_cast<void>(checkpoint::damaged_arrays(file));
    std::vector<checkpoint::Shard> shards;
    for (const auto& array : contents.arrays) {
        if (array.offset == 0) continue;  // without elements
        const auto type = array.type == hdf5::ElementType::f32 ? at::kFloat : at::kDouble;
        shards.push_back(checkpoint::whole(array.name, at::empty(array.shape, type), true));
    }
    checkpoint::load(Communicator::self(), file, shards);
}

/// As `train` does on two pipe coordinates, with as many stages as the table has for the first.
void read_schedule(const fs::path& file) {
    const auto words = cli::read_file(file);
    if (!words) throw UsageError(text("there is no table ", file));
    auto schedule = schedule::parse_schedule(schedule::gan::graph(), *words, file.string());
    schedule.name = file.string();
    if (schedule.coordinates.size() != 2)
        throw UsageError(text("schedule ", file, " has no two lines of actions"));
    const auto held =
        schedule::placement_of(schedule).stages_of(schedule::gan::generator, PipeCoordinate{0});
    const schedule::ScheduleShape shape{.graph = schedule::gan::graph(),
                                        .coordinates = 2,
                                        .chunks = std::max(1, static_cast<int>(held.size())),
                                        .micro_batches = 4};
    schedule::check_schedule(schedule, shape);
}

void read_ini(const fs::path& file) {
    const std::array words{"civitas train", "--config", file.c_str()};
    static_cast<void>(app::parse_configuration(static_cast<int>(words.size()), words.data()));
}

void read_profile(const fs::path& file) {
    if (!profiling::parse_profile(io::read_text_file(file)))
        throw Error(text(file, " is no profile, and measured again"));
}

void read_safetensors(const fs::path& name) {
    const auto file = io::SafetensorsFile::open(name);
    for (const auto& [array, stored] : file.arrays()) static_cast<void>(file.floats(array));
}

void write_plainly(const fs::path& file, const Bytes& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

void write_sealed(const fs::path& file, const Bytes& bytes) {
    write_plainly(file, bytes);
    checkpoint::add_seal(file, bytes.size(), {});
}

}  // namespace

Kind kind_of(const std::string& name) {
    std::vector<Kind> kinds{
        {"store", read_store, write_plainly},
        {"checkpoint", read_checkpoint, write_plainly},
        {"forged", read_checkpoint, write_sealed},
        {"schedule", read_schedule, write_plainly, true},
        {"ini", read_ini, write_plainly, true, false},
        {"profile", read_profile, write_plainly, true},
        {"safetensors", read_safetensors, write_plainly},
    };
    for (auto& kind : map_kinds()) kinds.push_back(std::move(kind));
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == name; });
    if (kind == kinds.end())
        throw UsageError(text("no kind of file is called '", name, "'"),
                         Hint{"store, checkpoint, forged, schedule, ini, profile, safetensors, "
                              "itf, xtf or rules"});
    return *kind;
}

Bytes bytes_of(const fs::path& file) {
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
}

}  // namespace civitas::fuzz
