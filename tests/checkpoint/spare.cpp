#include "support/tensor.hpp"

#include "civitas/checkpoint/spare.hpp"
#include "civitas/io/files.hpp"

#include "arrays.hpp"

#include <sys/stat.h>
#include <fstream>

using namespace civitas;
using namespace civitas::test;
using comm::Communicator;
namespace cp = civitas::checkpoint;
namespace fs = std::filesystem;

namespace {

std::string bytes_in(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

ino_t inode_of(const fs::path& file) {
    struct stat facts {};
    REQUIRE(::stat(file.c_str(), &facts) == 0);
    return facts.st_ino;
}

// An older checkpoint, as far as its name tells.
fs::path older(const fs::path& folder, std::size_t size) {
    const fs::path file = folder / "step-00000001.h5";
    std::ofstream(file, std::ios::binary) << std::string(size, '\xff');
    return file;
}

}  // namespace

TEST_CASE("a checkpoint written over a spare has the bytes of a new one, and the spare's blocks") {
    const auto world = Communicator::world();
    const auto shards = cut(net(), world, 0);
    const SharedFolder folder(world);
    const auto fresh = cp::save(world, folder.path() / "fresh", header(7), shards);
    for (const std::size_t size : {std::size_t{10}, std::size_t{1} << 20}) {
        const fs::path reused = folder.path() / std::to_string(size);
        cp::Spare spare;
        ino_t inode = 0;
        if (world.is_root()) {
            fs::create_directories(reused);
            inode = inode_of(older(reused, size));
            spare = cp::Spare(reused / "step-00000001.h5");
        }
        const auto written = cp::save(world, reused, header(7), shards, std::move(spare));
        CHECK(written.fingerprint == fresh.fingerprint);
        if (!world.is_root()) continue;
        CHECK(bytes_in(written.file) == bytes_in(fresh.file));
        CHECK(inode_of(written.file) == inode);
        CHECK(std::distance(fs::directory_iterator(reused), {}) == 1);
    }
}

TEST_CASE("a spare that others can see is removed and not written over") {
    const TemporaryFolder folder("spare");
    const fs::path other_name = folder.path() / "backup.h5";
    SECTION("it has another name") {
        const fs::path file = older(folder.path(), 1000);
        fs::create_hard_link(file, other_name);
        CHECK(!cp::Spare(file).may_be_written_over());
        CHECK(bytes_in(other_name) == std::string(1000, '\xff'));
        CHECK(!fs::exists(file.string() + ".part"));
    }
    SECTION("it is being read") {
        const fs::path file = older(folder.path(), 1000);
        const auto reader = io::RawFile::open_to_read(file);
        CHECK(!cp::Spare(file).may_be_written_over());
        CHECK(!fs::exists(file.string() + ".part"));
        CHECK(reader.size() == 1000);
    }
    SECTION("it is gone") {
        cp::Spare spare(older(folder.path(), 10));
        fs::remove(folder.path() / "step-00000001.h5.part");
        CHECK(!spare.may_be_written_over());
    }
}

TEST_CASE("a spare that nobody takes leaves nothing, and meanwhile is no checkpoint") {
    const TemporaryFolder folder("spare");
    {
        const cp::Spare spare(older(folder.path(), 10));
        CHECK(cp::list(folder.path()).empty());
        CHECK(!fs::is_empty(folder.path()));
    }
    CHECK(fs::is_empty(folder.path()));
}
