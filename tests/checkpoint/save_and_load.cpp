#include "support/tensor.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/io/files.hpp"

#include "arrays.hpp"

#include <fstream>

using namespace civitas;
using namespace civitas::test;
using comm::Communicator;
namespace cp = civitas::checkpoint;

namespace {

// The fingerprint by its definition, from whole arrays.
std::uint64_t expected_fingerprint(const std::map<std::string, at::Tensor>& arrays) {
    std::uint64_t total = 0;
    for (const auto& [name, values] : arrays) {
        const at::Tensor v = values.contiguous();
        const auto n = static_cast<std::size_t>(v.numel());
        total += mix64(name_hash(name), v.scalar_type() == at::kFloat
                                            ? checksum(0, std::span(v.data_ptr<float>(), n))
                                            : checksum(0, std::span(v.data_ptr<double>(), n)));
    }
    return total;
}

// The first `count` ranks; the others do not take part.
std::optional<Communicator> first(const Communicator& world, int count) {
    const bool in = index(world.rank()) < count;
    Communicator group = world.split(in ? 0 : 1, index(world.rank()));
    if (!in) return {};
    return group;
}

// By this process from files, in all.
std::int64_t bytes_read() {
    std::ifstream counters("/proc/self/io");
    std::string word;
    std::int64_t count = 0;
    counters >> word >> count;  // rchar: N
    return count;
}

}  // namespace

TEST_CASE("any number of ranks reads what any other wrote, to the bit") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    const std::uint64_t expected = expected_fingerprint(arrays);
    for (int writers = 1; writers <= world.size(); ++writers) {
        const auto step = header(writers);
        if (const auto group = first(world, writers)) {
            const auto written = cp::save(*group, folder.path(), step, cut(arrays, *group, 0));
            CHECK(written.fingerprint == expected);
            CHECK(written.file == folder.path() / text("step-0000000", writers, ".h5"));
            CHECK(static_cast<std::uint64_t>(written.bytes) ==
                  std::filesystem::file_size(written.file));
        }
        world.barrier();
        const auto file = cp::list(folder.path()).front();
        for (int readers = 1; readers <= world.size(); ++readers) {
            const auto group = first(world, readers);
            if (!group) continue;
            auto read = zeros_like(arrays);
            const auto shards = cut(read, *group, 1 + readers);
            cp::load(*group, file, shards);
            bool equal = true;
            for (const Shard& shard : shards) {
                at::Tensor part = arrays.at(shard.name);
                for (std::size_t d = 0; d < shard.box.size(); ++d)
                    part = part.narrow(static_cast<std::int64_t>(d), shard.box[d].begin,
                                       shard.box[d].count);
                equal = equal && same_bits(shard.view, part);
            }
            REQUIRE_ALL(*group, equal);
            CHECK(cp::fingerprint(*group, shards) == expected);
        }
        world.barrier();
    }
    CHECK(folder.entries() == world.size());
}

TEST_CASE("what a checkpoint holds can be read without the arrays, and by HDF5 alone") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    auto told = header(7);
    told.notes["long"] = std::string(100'000, '~');
    const auto written = cp::save(world, folder.path(), told, cut(arrays, world, 3));
    const auto contents = cp::read_contents(written.file);
    CHECK(contents.header.step == StepIndex{7});
    CHECK(contents.header.facts == header(7).facts);
    CHECK(contents.header.notes == told.notes);
    CHECK(contents.header.configuration == header(7).configuration);
    CHECK(contents.fingerprint == written.fingerprint);
    REQUIRE(contents.arrays.size() == arrays.size());
    const auto h5 = hdf5::H5File::open(written.file);
    CHECK(h5.text_attribute("/", "batch") == "32");
    CHECK(h5.text_attribute("/", "note_mesh") == "data=2");
    CHECK(h5.read_text("/notes/long") == told.notes["long"]);
    CHECK(h5.integer_attribute("/", "step") == 7);
    const std::string name = "/generator/parameters/deconv1.weight";
    CHECK(h5.shape(name) == hdf5::Extent{5, 13, 4, 4});
    const at::Tensor plain = arrays.at(name).contiguous();
    CHECK(h5.read_all<float>(name) ==
          std::vector<float>(plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel()));
    const at::Tensor doubles = arrays.at("/discriminator/parameters/linear.weight");
    CHECK(h5.read_all<double>("/discriminator/parameters/linear.weight") ==
          std::vector<double>(doubles.data_ptr<double>(),
                              doubles.data_ptr<double>() + doubles.numel()));
    CHECK(h5.children("/generator") ==
          std::vector<std::string>{"buffers", "optimizer", "parameters"});
    CHECK(h5.shape("/discriminator/empty") == hdf5::Extent{0, 3});
}

TEST_CASE("replicas load without writing, some arrays can be left, types are converted") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    const std::string name = "/generator/parameters/deconv0.weight";
    std::vector<Shard> replicas;
    for (const auto& [n, values] : arrays)
        replicas.push_back(cp::whole(n, values, world.is_root()));
    const auto written = cp::save(world, folder.path(), header(1), replicas);
    const at::Tensor wide = at::zeros({6, 5, 4, 4}, at::kDouble);
    const at::Tensor half = at::zeros({7}, at::kBFloat16);
    cp::load(world, written.file,
             {cp::whole(name, wide, world.is_root()),
              cp::whole("/generator/parameters/norm0.bias", half, world.is_root())});
    CHECK(same_bits(wide, arrays.at(name).to(at::kDouble).contiguous()));
    CHECK(half[3].item<float>() ==
          arrays.at("/generator/parameters/norm0.bias")[3].to(at::kBFloat16).item<float>());
}

TEST_CASE("replicas share the reading and hold the same afterwards") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const at::Tensor large = at::arange(5'000'000, at::kFloat).reshape({1000, 5000});
    auto arrays = net();
    arrays["/large"] = large;
    std::vector<Shard> shards;
    for (const auto& [name, values] : arrays)
        shards.push_back(cp::whole(name, values, world.is_root()));
    const std::int64_t before_saving = bytes_read();
    const auto written = cp::save(world, folder.path(), header(1), shards);
    // What was written is read back before the file gets its name.
    CHECK(world.sum(bytes_read() - before_saving) >= written.bytes);
    auto read = zeros_like(arrays);
    std::vector<Shard> places;
    for (const auto& [name, values] : read)
        places.push_back(cp::whole(name, values, world.is_root()));
    const std::int64_t before = bytes_read();
    cp::load(world, written.file, places, world);
    const std::int64_t all = world.sum(bytes_read() - before);
    for (const auto& [name, values] : arrays) REQUIRE_ALL(world, same_bits(read.at(name), values));
    CHECK(all > written.bytes);
    CHECK(all < written.bytes + 1'000'000 * world.size());
    const at::Tensor part = large.narrow(0, 0, 999);
    const std::vector<Shard> incomplete{
        {"/large", {1000, 5000}, {{0, 999}, {0, 5000}}, part, false},
        {"/large", {1000, 5000}, {{0, 1000}, {0, 5000}}, large, world.is_root()}};
    CHECK_THROWS_WITH(cp::load(world, written.file, incomplete, world),
                      Catch::Contains("what no replica writes is a whole array"));
    if (world.size() == 1) return;
    if (!world.is_root()) places.pop_back();
    CHECK_THROWS_WITH(cp::load(world, written.file, places, world),
                      Catch::Contains("replicas hold the same shards"));
}

TEST_CASE("an older file of the same step is replaced") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    auto arrays = net();
    static_cast<void>(cp::save(world, folder.path() / "new", header(1), cut(arrays, world, 0)));
    arrays["/generator/buffers/norm0.running_mean"].mul_(2);
    const auto second = cp::save(world, folder.path() / "new", header(1), cut(arrays, world, 1));
    CHECK(cp::read_contents(second.file).fingerprint == expected_fingerprint(arrays));
    CHECK(cp::damaged_arrays(second.file).empty());
}

TEST_CASE("large arrays pass in pieces") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const std::int64_t rows = 3000, columns = 3001;  // more than two pieces of 2^22 elements
    const at::Tensor all =
        at::arange(rows * columns, at::kFloat).reshape({rows, columns}).t().contiguous().t();
    const Range mine = block_range(columns, index(world.rank()), world.size());
    const Shard shard{
        "/x", {rows, columns}, {{0, rows}, mine}, all.narrow(1, mine.begin, mine.count)};
    const auto written = cp::save(world, folder.path(), header(1), {shard});
    CHECK(written.fingerprint == expected_fingerprint({{"/x", all}}));
    const at::Tensor back = at::zeros({rows, columns}, at::kFloat);
    cp::load(world, written.file, {cp::whole("/x", back, world.is_root())});
    CHECK(at::equal(back, all));
}

TEST_CASE("replicas that differ in one bit are named") {
    const auto world = Communicator::world();
    auto arrays = net();
    std::vector<Shard> shards;
    for (const auto& [name, values] : arrays) shards.push_back(cp::whole(name, values, false));
    CHECK_NOTHROW(cp::require_equal_replicas(world, shards));
    if (world.size() == 1) return;
    if (index(world.rank()) == world.size() - 1) {
        auto* bits = static_cast<std::uint8_t*>(
            arrays["/generator/optimizer/deconv1.weight/exp_avg"].data_ptr());
        bits[1000] ^= 1;
    }
    CHECK_THROWS_AS(cp::require_equal_replicas(world, shards), AgreedError);
    CHECK_THROWS_WITH(cp::require_equal_replicas(world, shards),
                      Catch::Contains(text(
                          "the copies of /generator/optimizer/deconv1.weight/exp_avg on replicas "
                          "0 and ",
                          world.size() - 1, " differ. Hint: ")));
}

TEST_CASE("shards that do not make whole arrays are refused by all ranks") {
    const auto world = Communicator::world();
    const SharedFolder folder(world);
    const auto arrays = net();
    auto shards = cut(arrays, world, 0);
    const auto refused = [&](const std::string& words) {
        CHECK_THROWS_WITH(cp::save(world, folder.path(), header(1), shards),
                          Catch::Contains(words));
        CHECK(folder.entries() == 0);
    };
    const int last = world.size() - 1;
    if (index(world.rank()) == last) shards[1].writes = false;
    refused(world.size() == 1 ? "no rank writes array /" : "its shards hold ");
    shards = cut(arrays, world, 0);
    if (index(world.rank()) == last) shards[1].view = shards[1].view.narrow(0, 0, 1);
    refused("does not fit it, or its view has another shape");
    shards = cut(arrays, world, 0);
    if (index(world.rank()) == last) shards[1].view = shards[1].view.to(at::kBFloat16);
    refused("checkpoints hold fp32 and fp64");
    shards = cut(arrays, world, 0);
    if (index(world.rank()) == last) shards[1].name = "/with a space";
    refused("is no name for an array");
}
