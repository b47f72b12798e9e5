#include "support/tensor.hpp"

#include "civitas/data/loader.hpp"
#include "civitas/data/order.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/io/files.hpp"

#include "support/shared_folder.hpp"

#include <set>

using namespace civitas;
using namespace civitas::data;
using Catch::Matchers::Contains;
using comm::Communicator;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t side = 16, net = 8;
constexpr std::size_t area = side * side;

void write_store(const Communicator& ranks, const fs::path& file, std::int64_t tiles, Split split) {
    std::vector<TileRecord> records;
    std::vector<std::uint8_t> pixels;
    for (std::int64_t t = 0; ranks.is_root() && t < tiles; ++t) {
        TileRecord record;
        record.split = t % 4 == 1 ? Split::test : split;
        records.push_back(record);
        for (std::size_t i = 0; i < area; ++i)
            pixels.push_back(
                static_cast<std::uint8_t>((i * i + static_cast<std::size_t>(t) * i) % 3));
    }
    write_tile_store(ranks, file, {.pixels = side}, records, pixels);
}

LoaderOptions options(int threads, int ahead = 3) {
    return {.seed = Seed{7},
            .coding = Coding::colour,
            .net_pixels = net,
            .micro_batch = 4,
            .threads = threads,
            .ahead = ahead};
}

Sample in_turn(std::int64_t i) { return Sample{i * 4}; }

/// What the formula of the order says the micro-batch is, tile by tile, without the loader.
at::Tensor by_formula(const TileStore& store, std::int64_t first) {
    const auto rows = store.rows(Split::train);
    at::Tensor x = torch::empty({4, 3, net, net});
    for (std::int64_t b = 0; b < 4; ++b) {
        const Drawn d = draw(Seed{7}, static_cast<std::int64_t>(rows.size()), Sample{first + b});
        const TileIndex row = rows.at(static_cast<std::size_t>(d.position));
        const auto bits = static_cast<unsigned>(d.symmetry);
        at::Tensor tile = read_tiles(store, std::array{row}, Coding::colour, net)[0];
        if ((bits & 1U) != 0) tile = tile.flip({2});
        x[b] = torch::rot90(tile, bits / 2, {1, 2});
    }
    return x;
}

/// The row of the store that a sample is.
std::size_t row_of(const TileStore& store, Sample sample) {
    const auto rows = store.rows(Split::train);
    const Drawn d = draw(Seed{7}, static_cast<std::int64_t>(rows.size()), sample);
    return static_cast<std::size_t>(index(rows.at(static_cast<std::size_t>(d.position))));
}

void damage(const fs::path& file, std::size_t row) {
    const auto offset = hdf5::H5File::open(file).row_chunks("/tiles").at(row).offset;
    io::RawFile::open_to_write(file).write_at(offset + 4, std::as_bytes(std::span("broken", 6)));
}

}  // namespace

TEST_CASE("micro-batches come in order, the same for any number of threads and any lead") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-order");
    write_store(world, folder.path() / "tiles.h5", 11, Split::train);
    const TileStore store = TileStore::open(world, folder.path() / "tiles.h5");
    for (const int threads : {1, 2, 5})
        for (const int ahead : {1, 4}) {
            Loader loader(store, options(threads, ahead), in_turn);
            for (std::int64_t i = 0; i < 12; ++i)
                CHECK(torch::equal(loader.next(), by_formula(store, 4 * i)));
            CHECK(loader.waited() >= 0);
        }
}

TEST_CASE("ranks that take turns get the samples of one run") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-ranks");
    write_store(world, folder.path() / "tiles.h5", 11, Split::train);
    const TileStore store = TileStore::open(world, folder.path() / "tiles.h5");
    const std::int64_t me = index(world.rank()), n = world.size();
    Loader loader(store, options(2), [&](std::int64_t i) { return Sample{(i * n + me) * 4}; });
    for (std::int64_t i = 0; i < 4; ++i)
        CHECK(torch::equal(loader.next(), by_formula(store, 4 * (i * n + me))));
}

TEST_CASE("delivered tensors stay as they are while the loader goes on") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-kept");
    write_store(world, folder.path() / "tiles.h5", 11, Split::train);
    const TileStore store = TileStore::open(world, folder.path() / "tiles.h5");
    Loader loader(store, options(2, 1), in_turn);
    const at::Tensor first = loader.next();
    for (int i = 0; i < 5; ++i) static_cast<void>(loader.next());
    CHECK(torch::equal(first, by_formula(store, 0)));
}

TEST_CASE("a loader ends in the midst of its work, moved or not") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-end");
    write_store(world, folder.path() / "tiles.h5", 11, Split::train);
    const TileStore store = TileStore::open(world, folder.path() / "tiles.h5");
    for (int i = 0; i < 20; ++i) {
        Loader loader(store, options(4, 50), in_turn);
        Loader moved = std::move(loader);
        if (i % 2 == 0) CHECK(torch::equal(moved.next(), by_formula(store, 0)));
    }
}

TEST_CASE("any micro-batch can be taken, whatever is expected") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-taken");
    write_store(world, folder.path() / "tiles.h5", 11, Split::train);
    const TileStore store = TileStore::open(world, folder.path() / "tiles.h5");
    for (const int threads : {1, 3}) {
        Loader loader(store, options(threads));
        const auto is_taken = [&](std::int64_t first) {
            CHECK(torch::equal(loader.take(Sample{first}), by_formula(store, first)));
        };
        is_taken(40);
        loader.expect(std::array{Sample{8}, Sample{20}, Sample{20}, Sample{4}});
        for (const std::int64_t first : {8, 20, 4, 12, 20, 20}) is_taken(first);
        for (std::int64_t i = 0; i < 30; ++i) {
            loader.expect(std::array{Sample{i}, Sample{i + 3}, Sample{i + 7}});
            if (i % 3 == 0) is_taken(i + 3);
        }
        loader.expect({});
        is_taken(0);
    }
}

TEST_CASE("what is expected is read ahead and kept, and dropped when it is expected no more") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-expected");
    const fs::path file = folder.path() / "tiles.h5";
    write_store(world, file, 11, Split::train);
    const TileStore store = TileStore::open(world, file);
    const at::Tensor whole = by_formula(store, 0);
    Loader kept(store, options(1)), dropped(store, options(1));
    const std::array both{Sample{0}, Sample{11}};
    kept.expect(both);
    dropped.expect(both);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    world.barrier();
    if (world.is_root()) damage(file, row_of(store, Sample{1}));
    world.barrier();
    kept.expect(std::array{Sample{0}});
    kept.expect(both);
    CHECK(torch::equal(kept.take(Sample{0}), whole));
    CHECK_THROWS_WITH(kept.take(Sample{0}), Contains(" is damaged"));
    dropped.expect(std::array{Sample{16}});
    dropped.expect(both);
    CHECK_THROWS_WITH(dropped.take(Sample{0}), Contains(" is damaged"));
}

TEST_CASE("a tile that cannot be read is an error of the micro-batch it belongs to") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-damaged");
    const fs::path file = folder.path() / "tiles.h5";
    write_store(world, file, 11, Split::train);
    const TileStore store = TileStore::open(world, file);
    const std::size_t row = row_of(store, Sample{5});
    world.barrier();
    if (world.is_root()) damage(file, row);
    world.barrier();
    Loader loader(store, options(3), in_turn);
    CHECK(loader.next().size(0) == 4);
    CHECK_THROWS_WITH(loader.next(), Contains("tile " + std::to_string(row) + " is damaged"));
}

TEST_CASE("samples are drawn from the symmetries that are allowed, tiles by the seed alone") {
    std::set<Symmetry> all, flip, none;
    for (std::int64_t s = 0; s < 200; ++s) {
        const Drawn any = draw(Seed{7}, 11, Sample{s});
        const Drawn flipped = draw(Seed{7}, 11, Sample{s}, Symmetries::flip);
        const Drawn plain = draw(Seed{7}, 11, Sample{s}, Symmetries::none);
        CHECK((flipped.position == any.position && plain.position == any.position));
        all.insert(any.symmetry);
        flip.insert(flipped.symmetry);
        none.insert(plain.symmetry);
    }
    CHECK(all.size() == 8);
    CHECK((flip == std::set{Symmetry{0}, Symmetry{1}}));
    CHECK((none == std::set{Symmetry::identity}));
}

TEST_CASE("images are flipped where nobody says, and never turned") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-images");
    std::vector<TileRecord> records(world.is_root() ? 5 : 0);
    std::vector<std::uint8_t> bytes(records.size() * area * 3);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i / 7);
    write_tile_store(world, folder.path() / "images.h5", {.pixels = side, .content = Content::rgb},
                     records, bytes);
    const TileStore store = TileStore::open(world, folder.path() / "images.h5");
    const auto rows = store.rows(Split::train);
    LoaderOptions o = options(2);
    o.coding = Coding::rgb;
    int flipped = 0;
    for (const auto symmetries : {std::optional<Symmetries>{}, std::optional{Symmetries::none}}) {
        o.symmetries = symmetries;
        Loader loader(store, o);
        for (std::int64_t first = 0; first < 20; first += 4) {
            const at::Tensor x = loader.take(Sample{first});
            for (std::int64_t b = 0; b < 4; ++b) {
                const TileIndex row = training_tile(rows, Seed{7}, Sample{first + b});
                const at::Tensor tile = read_tiles(store, std::array{row}, Coding::rgb, net)[0];
                const bool is_flipped = torch::equal(x[b], tile.flip({2}));
                CHECK((torch::equal(x[b], tile) || is_flipped));
                if (symmetries)
                    CHECK_FALSE(is_flipped);
                else
                    flipped += is_flipped ? 1 : 0;
            }
        }
    }
    CHECK((flipped > 4 && flipped < 16));
    CHECK_THROWS_AS(Loader(store, options(1)), UsageError);
    CHECK_THROWS_WITH(read_tiles(store, rows, Coding::colour, net), Contains("no coding colour"));
}

TEST_CASE("stores that cannot be trained from are wrong use") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "loader-wrong");
    write_store(world, folder.path() / "tests.h5", 3, Split::test);
    const TileStore tests = TileStore::open(world, folder.path() / "tests.h5");
    CHECK_THROWS_AS(Loader(tests, options(1), in_turn), UsageError);
    CHECK_THROWS_WITH(Loader(tests, options(1), in_turn),
                      Contains("none of the 3 tiles is for training") && Contains("Hint: "));
    write_store(world, folder.path() / "train.h5", 3, Split::train);
    const TileStore train = TileStore::open(world, folder.path() / "train.h5");
    LoaderOptions wrong = options(1);
    wrong.net_pixels = 7;
    CHECK_THROWS_AS(Loader(train, wrong, in_turn), UsageError);
    CHECK_THROWS_AS(read_tiles(train, std::array{TileIndex{0}}, Coding::grey, 7), UsageError);
}
