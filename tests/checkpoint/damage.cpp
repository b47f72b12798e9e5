#include "support/tensor.hpp"

#include "civitas/base/text.hpp"
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

void flip(const fs::path& file, std::uint64_t offset) {
    const auto raw = io::RawFile::open_to_write(file);
    std::array<std::byte, 1> byte{};
    raw.read_at(offset, byte);
    byte[0] ^= std::byte{16};
    raw.write_at(offset, byte);
}

std::uint64_t offset_of(const fs::path& file, const std::string& name) {
    return hdf5::H5File::open(file).offset(name);
}

// Checkpoints of steps 1..n in a folder.
class Run {
public:
    Run(const Communicator& ranks, int steps) : ranks_(ranks), folder_(ranks) {
        for (int s = 1; s <= steps; ++s)
            static_cast<void>(cp::save(ranks, folder_.path(), header(s), cut(arrays_, ranks, s)));
    }
    [[nodiscard]] fs::path file(int step) const {
        return folder_.path() / text("step-0000000", step, ".h5");
    }
    [[nodiscard]] const fs::path& folder() const { return folder_.path(); }
    /// Harm done by the root before anybody goes on.
    void harm(const std::function<void()>& deed) const {
        ranks_.barrier();
        if (ranks_.is_root()) deed();
        ranks_.barrier();
    }
    std::optional<fs::path> newest() {
        return cp::newest_whole(ranks_, folder(),
                                [&](const std::string& w) { warned_ += w + "\n"; });
    }
    /// What the root was told; nothing on the others.
    [[nodiscard]] const std::string& warned() const { return warned_; }
    void load(int step) {
        auto read = zeros_like(arrays_);
        cp::load(ranks_, file(step), cut(read, ranks_, 5));
    }

private:
    const Communicator& ranks_;
    SharedFolder folder_;
    std::map<std::string, at::Tensor> arrays_ = net();
    std::string warned_;
};

const std::string array = "/generator/parameters/deconv1.weight";

}  // namespace

TEST_CASE("a flipped bit is found, the array named, and the checkpoint before it used") {
    const auto world = Communicator::world();
    Run run(world, 3);
    CHECK(run.newest() == run.file(3));
    CHECK(run.warned().empty());
    run.harm([&] { flip(run.file(3), offset_of(run.file(3), array) + 801); });
    CHECK(cp::damaged_arrays(run.file(3)) == std::vector<std::string>{array});
    CHECK_THROWS_AS(run.load(3), AgreedError);
    CHECK_THROWS_WITH(run.load(3),
                      Catch::Contains("step-00000003.h5\" is damaged: " + array + ". Hint: "));
    CHECK_NOTHROW(run.load(2));
    CHECK(run.newest() == run.file(2));
    if (world.is_root())
        CHECK_THAT(run.warned(), Catch::Contains("step-00000003.h5\" is damaged: " + array) &&
                                     Catch::Contains("Trying the one before it."));
    else
        CHECK(run.warned().empty());
}

TEST_CASE("truncated, empty and foreign files are passed over") {
    const auto world = Communicator::world();
    Run run(world, 4);
    run.harm([&] {
        fs::resize_file(run.file(4), fs::file_size(run.file(4)) - 1);
        fs::resize_file(run.file(3), 0);
        hdf5::H5File::create(run.file(2)).close();
    });
    CHECK(run.newest() == run.file(1));
    if (world.is_root()) {
        CHECK_THAT(run.warned(),
                   Catch::Contains("step-00000004.h5") &&
                       Catch::Contains("step-00000003.h5\" is not an HDF5 file (0 bytes)") &&
                       Catch::Contains("step-00000002.h5\" is not a checkpoint"));
        CHECK_THAT(run.warned(), !Catch::Contains("Hint"));
    }
    CHECK_THROWS_WITH(run.load(2), Catch::Contains("is not a checkpoint of this program. Hint: "
                                                   "h5dump -n "));
    CHECK_THROWS_AS(run.load(4), AgreedError);
    CHECK_THROWS_WITH(run.load(5), Catch::Contains("there is no file"));
}

TEST_CASE("when every checkpoint is damaged that is an error, never a fresh start") {
    const auto world = Communicator::world();
    Run run(world, 2);
    run.harm([&] {
        fs::resize_file(run.file(2), fs::file_size(run.file(2)) / 2);
        flip(run.file(1), offset_of(run.file(1), "/discriminator/scalar"));
    });
    CHECK_THROWS_AS(run.newest(), AgreedError);
    CHECK_THROWS_WITH(run.newest(), Catch::Contains("none of the 2 checkpoints in") &&
                                        Catch::Contains("step-00000002.h5") &&
                                        Catch::Contains("/discriminator/scalar") &&
                                        Catch::Contains("Hint: copies of them may be whole"));
}

TEST_CASE("no checkpoints are no error") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto none = [](const std::string&) { FAIL("nothing to warn of"); };
    CHECK(!cp::newest_whole(world, folder.path(), none));
    CHECK(!cp::newest_whole(world, folder.path() / "missing", none));
    CHECK(cp::list(folder.path() / "missing").empty());
}

TEST_CASE("a file of another net is refused with both shapes") {
    const auto world = Communicator::world();
    Run run(world, 1);
    const at::Tensor other = at::zeros({5, 12, 4, 4});
    CHECK_THROWS_WITH(cp::load(world, run.file(1), {cp::whole(array, other, world.is_root())}),
                      Catch::Contains(array + " is (5, 13, 4, 4) in") &&
                          Catch::Contains("and (5, 12, 4, 4) here. Hint: "));
    CHECK_THROWS_WITH(cp::load(world, run.file(1), {cp::whole("/other", other, world.is_root())}),
                      Catch::Contains("has no array /other. Hint: "));
}

TEST_CASE("no flipped bit anywhere goes unseen") {
    const auto world = Communicator::world();
    Run run(world, 1);
    if (!world.is_root()) return;
    const auto file = run.file(1);
    const auto is_damaged = [&] {
        try {
            return !cp::damaged_arrays(file).empty();
        } catch (const Error&) {
            return true;
        }
    };
    const std::uint64_t size = fs::file_size(file);
    std::vector<std::uint64_t> places{size - 1, size - 20};
    for (std::uint64_t at = 0; at < size; at += 151) places.push_back(at);
    std::vector<std::uint64_t> unseen;
    for (const std::uint64_t at : places) {
        flip(file, at);
        if (!is_damaged()) unseen.push_back(at);
        flip(file, at);
    }
    CHECK(unseen.empty());
    CHECK(!is_damaged());
}

TEST_CASE("a file changed by another program is not taken for whole") {
    const auto world = Communicator::world();
    Run run(world, 1);
    run.harm([&] { fs::resize_file(run.file(1), fs::file_size(run.file(1)) - 8); });
    CHECK_THROWS_WITH(cp::read_contents(run.file(1)),
                      Catch::Contains("its end is missing. Hint: "));
    Run other(world, 1);
    other.harm([&] { flip(other.file(1), 8); });
    CHECK_THROWS_WITH(cp::read_contents(other.file(1)),
                      Catch::Contains("its description is not what was written. Hint: "));
}

TEST_CASE("old checkpoints go, newest first in the list, other files stay") {
    const auto world = Communicator::world();
    Run run(world, 3);
    run.harm([&] {
        for (const char* part : {"step-00000009.h5.part", "step-00000010.h5.part-0a1b2c3d"})
            std::ofstream(run.folder() / part) << "left by a killed save";
        std::ofstream(run.folder() / "step-00000009.h5.partial") << "another's";
        std::ofstream(run.folder() / "step-1.h5") << "another's";
        std::ofstream(run.folder() / "notes.txt") << "mine";
        fs::copy(run.file(1), run.folder() / "step-123456789.h5");
    });
    CHECK(cp::list(run.folder()) == std::vector<fs::path>{run.folder() / "step-123456789.h5",
                                                          run.file(3), run.file(2), run.file(1)});
    const auto any = [](const fs::path&) { return true; };
    run.harm([&] {
        std::ofstream(run.folder() / "step-123456789.h5.abandoned") << "an earlier course's";
        (void)cp::prune(run.folder(), {2}, StepIndex{3}, any);
    });
    CHECK(cp::list(run.folder()) == std::vector<fs::path>{run.file(3), run.file(2)});
    CHECK(fs::file_size(run.folder() / "step-123456789.h5.abandoned") == 19);
    CHECK(fs::exists(run.folder() / "step-123456789.h5.abandoned2"));
    CHECK(fs::exists(run.folder() / "notes.txt"));
    CHECK(fs::exists(run.folder() / "step-1.h5"));
    CHECK(!fs::exists(run.folder() / "step-00000009.h5.part"));
    CHECK(!fs::exists(run.folder() / "step-00000010.h5.part-0a1b2c3d"));
    CHECK(fs::exists(run.folder() / "step-00000009.h5.partial"));
    CHECK_THROWS_WITH((void)cp::prune(run.folder(), {0}, StepIndex{3}, any),
                      Catch::Contains("at least one"));
}

TEST_CASE("only whole files count as kept, and none is read before one would go") {
    const auto world = Communicator::world();
    Run run(world, 4);
    int asked = 0;
    const auto is_whole = [&](const fs::path& file) {
        ++asked;
        return file != run.file(3);
    };
    run.harm([&] { (void)cp::prune(run.folder(), {4}, StepIndex{4}, is_whole); });
    CHECK(asked == 0);
    run.harm([&] { (void)cp::prune(run.folder(), {2}, StepIndex{4}, is_whole); });
    CHECK(cp::list(run.folder()) == std::vector<fs::path>{run.file(4), run.file(2)});
    CHECK(fs::exists(run.file(3).string() + ".damaged"));
}

TEST_CASE("the first checkpoint in every so many steps stays for ever") {
    const auto world = Communicator::world();
    Run run(world, 0);
    const auto any = [](const fs::path&) { return true; };
    // Names alone decide.
    for (const int step : {2, 4, 5, 7, 9, 13, 16, 19})
        run.harm([&] {
            std::ofstream(run.folder() / step_name(StepIndex{step}).append(".h5")) << "x";
            (void)cp::prune(run.folder(), {2, 5}, StepIndex{step}, any);
        });
    std::vector<int> steps;
    for (const fs::path& file : cp::list(run.folder()))
        steps.push_back(std::stoi(file.stem().string().substr(5)));
    CHECK(steps == std::vector<int>{19, 16, 13, 5});
    run.harm([&] { (void)cp::prune(run.folder(), {1, 0}, StepIndex{19}, any); });
    CHECK(cp::list(run.folder()).size() == 1);
}

TEST_CASE("a damaged checkpoint is none that stays for ever: the next of its steps is") {
    const auto world = Communicator::world();
    Run run(world, 0);
    for (const int step : {5, 7, 8, 9})
        run.harm(
            [&] { std::ofstream(run.folder() / step_name(StepIndex{step}).append(".h5")) << "x"; });
    const auto is_whole = [&](const fs::path& file) -> std::optional<bool> {
        return file != run.file(5);
    };
    run.harm([&] { (void)cp::prune(run.folder(), {1, 5}, StepIndex{9}, is_whole); });
    CHECK(cp::list(run.folder()) == std::vector<fs::path>{run.file(9), run.file(7)});
    CHECK(fs::exists(run.file(5).string() + ".damaged"));
    // Of what can't be read now nothing is known, so what could take its place stays, too.
    const auto unknown = [&](const fs::path& file) -> std::optional<bool> {
        return file == run.file(9) ? std::optional(true) : std::nullopt;
    };
    run.harm([&] {
        std::ofstream(run.folder() / step_name(StepIndex{8}).append(".h5")) << "x";
        (void)cp::prune(run.folder(), {1, 5}, StepIndex{9}, unknown);
    });
    CHECK(cp::list(run.folder()) == std::vector<fs::path>{run.file(9), run.file(8), run.file(7)});
}
