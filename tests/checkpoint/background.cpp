#include "support/tensor.hpp"

#include "civitas/checkpoint/background.hpp"
#include "civitas/io/files.hpp"

#include "arrays.hpp"
#include "support/file_size_limit.hpp"

using namespace civitas;
using namespace civitas::test;
using comm::Communicator;
namespace cp = civitas::checkpoint;
namespace fs = std::filesystem;

namespace {

cp::Written finished(cp::BackgroundSaver& saver) {
    std::optional<cp::Written> written;
    while (!written) written = saver.advance();
    return *written;
}

std::map<std::string, at::Tensor> copies_of(const std::map<std::string, at::Tensor>& arrays) {
    std::map<std::string, at::Tensor> copies;
    for (const auto& [name, values] : arrays) copies[name] = values.clone();
    return copies;
}

void change(const std::map<std::string, at::Tensor>& arrays) {
    for (const auto& [name, values] : arrays) values.add_(1);
}

bool same_bytes(const fs::path& a, const fs::path& b) {
    return io::read_text_file(a) == io::read_text_file(b);
}

}  // namespace

TEST_CASE("a save in the background is the same file, whatever becomes of the values meanwhile") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    const auto changing = copies_of(arrays);
    cp::BackgroundSaver saver(world, cut(changing, world, 0));
    CHECK(saver.done_here());
    for (int step = 1; step <= 2; ++step) {
        saver.begin(folder.path(), header(step), cut(changing, world, 0));
        CHECK(saver.on_its_way());
        const auto at_begin = copies_of(changing);
        change(changing);
        const auto written = finished(saver);
        CHECK(!saver.on_its_way());
        const auto now =
            cp::save(world, folder.path() / "sync", header(step), cut(at_begin, world, 0));
        CHECK(written.file == folder.path() / text("step-0000000", step, ".h5"));
        CHECK(written.fingerprint == now.fingerprint);
        CHECK(written.bytes == now.bytes);
        CHECK(same_bytes(written.file, now.file));
    }
    CHECK(folder.entries() == 3);
}

TEST_CASE("ranks learn without waiting when their part is done, and nothing has a name before") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    cp::BackgroundSaver saver(world, cut(arrays, world, 0));
    saver.begin(folder.path(), header(1), cut(arrays, world, 0));
    for (int phase = 0; phase < 2; ++phase) {
        while (!saver.done_here()) std::this_thread::yield();
        CHECK(cp::list(folder.path()).empty());
        CHECK(folder.entries() == 1);
        world.barrier();
        CHECK(saver.advance().has_value() == (phase == 1));
    }
    CHECK(cp::damaged_arrays(folder.path() / "step-00000001.h5").empty());
}

TEST_CASE(
    "a disk that fills up behind any one rank is everybody's error, and the next save works") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    const auto older = cp::save(world, folder.path(), header(1), cut(arrays, world, 0));
    cp::BackgroundSaver saver(world, cut(arrays, world, 0));
    for (int victim = 0; victim < world.size(); ++victim) {
        std::string said;
        {
            cp::Saving saving(world, folder.path(), header(2), cut(arrays, world, 0));
            std::optional<FileSizeLimit> limit;
            if (index(world.rank()) == victim) limit.emplace(6000);
            cp::BackgroundWork work;
            work.start([&] { saving.work(); });
            try {
                static_cast<void>(saving.advance(work.wait()));
            } catch (const AgreedError& e) {
                said = e.what();
            }
        }
        CHECK_THAT(said, Catch::Contains("step-00000002.h5.part-") &&
                             Catch::Contains("Hint: free some space"));
        if (world.size() > 1) CHECK_THAT(said, Catch::StartsWith(text("rank ", victim, ": ")));
        REQUIRE_ALL(world, world.broadcast(said) == said);
        CHECK(folder.entries() == 1);
        world.barrier();
    }
    CHECK(cp::damaged_arrays(older.file).empty());
    saver.begin(folder.path(), header(2), cut(arrays, world, 0));
    CHECK(cp::damaged_arrays(finished(saver).file).empty());
}

TEST_CASE("after an error none is on its way, and one that is given up leaves nothing") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    {
        cp::BackgroundSaver saver(world, cut(arrays, world, 0));
        {
            std::optional<FileSizeLimit> limit;
            if (world.is_root()) limit.emplace(6000);
            CHECK_THROWS_AS(saver.begin(folder.path(), header(1), cut(arrays, world, 0)),
                            AgreedError);
        }
        CHECK(!saver.on_its_way());
        saver.begin(folder.path(), header(1), cut(arrays, world, 0));
        while (!saver.done_here()) std::this_thread::yield();
        CHECK_THROWS_WITH(saver.begin(folder.path(), header(2), cut(arrays, world, 0)),
                          Catch::Contains("one save is on its way at a time"));
        world.barrier();
    }
    world.barrier();
    CHECK(folder.entries() == 0);
}

TEST_CASE("a copy takes the bytes of what this rank writes, and knows its shards") {
    const auto world = Communicator::world();
    const at::Tensor a = at::ones({3, 4}), b = at::ones({5}, at::kDouble);
    cp::StagingCopy copy({cp::whole("/a", a, true), cp::whole("/b", b, false)});
    CHECK(copy.bytes() == 48);
    a.fill_(2);
    const auto shards = copy.of({cp::whole("/a", a, true), cp::whole("/b", b, false)});
    a.fill_(3);
    CHECK(at::equal(shards[0].view, at::full({3, 4}, 2)));
    CHECK_THROWS_WITH(copy.of({cp::whole("/a", a, true)}), Catch::Contains("the same shards"));
    CHECK_THROWS_WITH(copy.of({cp::whole("/c", a, true), cp::whole("/b", b, false)}),
                      Catch::Contains("the same shards"));
}
