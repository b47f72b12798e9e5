#include "support/tensor.hpp"

#include "checkpoint/same_file.hpp"
#include "civitas/checkpoint/saving.hpp"
#include "civitas/io/files.hpp"

#include "arrays.hpp"

#include <array>
#include <fstream>

using namespace civitas;
using namespace civitas::test;
using comm::Communicator;
namespace cp = civitas::checkpoint;
namespace fs = std::filesystem;

namespace {

// A working folder for every rank, so that a relative name means another file on each.
class OwnFolders {
public:
    explicit OwnFolders(const Communicator& ranks) : shared_(ranks), before_(fs::current_path()) {
        fs::create_directories(of(ranks.rank()) / "run");
        fs::current_path(of(ranks.rank()));
        ranks.barrier();
    }
    OwnFolders(const OwnFolders&) = delete;
    OwnFolders& operator=(const OwnFolders&) = delete;
    ~OwnFolders() { fs::current_path(before_); }
    [[nodiscard]] fs::path of(Rank rank) const { return shared_.path() / text(index(rank)); }
    /// The root's checkpoints, brought to every rank.
    void copy_roots(const Communicator& ranks) const {
        ranks.barrier();
        if (!ranks.is_root()) fs::copy(of(Rank{0}) / "run", "run", fs::copy_options::recursive);
        ranks.barrier();
    }

private:
    SharedFolder shared_;
    fs::path before_;
};

std::int64_t entries(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), {});
}

const fs::path run = "run";

// A checkpoint written where all ranks see it, and copied to where each sees its own.
cp::Written private_copies(const Communicator& world, const OwnFolders& folders,
                           const std::map<std::string, at::Tensor>& arrays, int step) {
    const auto file =
        cp::save(world, folders.of(Rank{0}) / "run", header(step), cut(arrays, world, 0));
    folders.copy_roots(world);
    return file;
}

const auto no_words = [](const std::string&) {};

}  // namespace

TEST_CASE("a save into a folder that every rank has for itself is refused") {
    const auto world = Communicator::world();
    const OwnFolders folders(world);
    const auto arrays = net();
    const auto older = private_copies(world, folders, arrays, 1);
    CHECK_THROWS_AS(cp::save(world, run, header(2), cut(arrays, world, 0)), AgreedError);
    CHECK_THROWS_WITH(
        cp::save(world, run, header(2), cut(arrays, world, 0)),
        Catch::StartsWith("rank 1: the ranks do not see the same file. Host ") &&
            Catch::Contains((folders.of(Rank{1}) / "run/step-00000002.h5.part-").string()) &&
            Catch::Contains(": no file; rank 0 on host ") &&
            Catch::Contains((folders.of(Rank{0}) / "run/step-00000002.h5.part-").string()) &&
            Catch::Contains(". Hint: the run folder must lie on storage that all nodes share"));
    REQUIRE_ALL(world, entries(run) == 1);
    CHECK(cp::damaged_arrays(older.file).empty());
}

TEST_CASE("a part of the same name and size that another save left is told by its end") {
    const auto world = Communicator::world();
    const OwnFolders folders(world);
    const auto arrays = net();
    const auto older = private_copies(world, folders, arrays, 1);
    const fs::path part = run / "step-00000002.h5.part-0a1b2c3d";
    fs::copy(older.file, part);
    CHECK_NOTHROW(cp::require_same_file(world, part));  // copies that are equal do no harm
    if (world.is_root()) cp::mark_end(io::RawFile::open_existing_to_write(part));
    const auto bytes = text(older.bytes, " bytes ending in ");
    CHECK_THROWS_WITH(cp::require_same_file(world, part),
                      Catch::Contains("/1/run/step-00000002.h5.part-0a1b2c3d: " + bytes) &&
                          Catch::Contains("/0/run/step-00000002.h5.part-0a1b2c3d: " + bytes));
}

TEST_CASE("a save writes into no part that another one left") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    const auto older = cp::save(world, folder.path(), header(1), cut(arrays, world, 0));
    const fs::path stale = folder.path() / "step-00000002.h5.part";
    if (world.is_root()) fs::copy(older.file, stale);
    world.barrier();
    const auto newer = cp::save(world, folder.path(), header(2), cut(arrays, world, 0));
    CHECK(cp::damaged_arrays(stale).empty());
    CHECK(cp::damaged_arrays(newer.file).empty());
    CHECK(folder.entries() == 3);
}

TEST_CASE("ranks that would load from different files are told so") {
    const auto world = Communicator::world();
    const OwnFolders folders(world);
    auto arrays = net();
    static_cast<void>(private_copies(world, folders, arrays, 1));
    arrays["/generator/parameters/deconv0.weight"].mul_(2);
    static_cast<void>(
        cp::save(world, folders.of(Rank{0}) / "run", header(2), cut(arrays, world, 0)));
    auto read = zeros_like(arrays);
    const auto load = [&](const fs::path& file) { cp::load(world, file, cut(read, world, 0)); };
    CHECK_NOTHROW(load(run / "step-00000001.h5"));  // copies that are equal do no harm
    CHECK_THROWS_WITH(load(run / "step-00000002.h5"), Catch::Contains(": no file; rank 0 on host"));
    // The older file that all have is not taken in place of the newest, which one rank lacks.
    CHECK_THROWS_WITH(cp::newest_whole(world, run, no_words), Catch::Contains(": no file; rank 0"));
    if (!world.is_root()) fs::copy(run / "step-00000001.h5", run / "step-00000002.h5");
    CHECK_THROWS_WITH(load(run / "step-00000002.h5"), Catch::Contains(" bytes ending in "));
}

TEST_CASE("what does not read back gets no checkpoint's name") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    const auto older = cp::save(world, folder.path(), header(1), cut(arrays, world, 0));
    const fs::path name = folder.path() / "step-00000002.h5";
    const std::string array = "/generator/parameters/deconv1.weight";
    const auto save_with = [&](const std::function<void(const fs::path&)>& harm) {
        cp::Saving saving(world, folder.path(), header(2), cut(arrays, world, 0));
        const auto work = [&] { saving.work(); };
        CHECK(!saving.advance(comm::outcome_of(work)));
        if (world.is_root())
            for (const auto& entry : fs::directory_iterator(folder.path()))
                if (entry.path() != older.file && entry.path().extension() != ".damaged")
                    harm(entry.path());
        world.barrier();
        static_cast<void>(saving.advance(comm::outcome_of(work)));
    };
    CHECK_THROWS_WITH(save_with([&](const fs::path& part) {
                          const std::array changed{std::byte{77}};
                          io::RawFile::open_existing_to_write(part).write_at(
                              hdf5::H5File::open(part).offset(array) + 801, changed);
                      }),
                      Catch::Contains("does not read back, it is now ") &&
                          Catch::Contains(name.string() + ".damaged\"") &&
                          Catch::Contains("older checkpoints are kept: ") &&
                          Catch::Contains(array) && Catch::Contains("Hint: "));
    world.barrier();
    CHECK(fs::exists(name.string() + ".damaged"));
    CHECK(folder.entries() == 2);
    world.barrier();
    // So is what another program has put in its place.
    CHECK_THROWS_WITH(save_with([&](const fs::path& part) {
                          fs::copy(older.file, part, fs::copy_options::overwrite_existing);
                          io::RawFile::open_existing_to_write(part).resize(fs::file_size(part) - 1);
                      }),
                      Catch::Contains("does not read back, it is now "));
    world.barrier();
    CHECK(folder.entries() == 3);
    CHECK(cp::list(folder.path()) == std::vector<fs::path>{older.file});
}
