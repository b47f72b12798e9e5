#include "classifier.hpp"
#include "civitas/base/hash.hpp"
#include "local_part.hpp"
#include "support/agree.hpp"
#include "support/shared_folder.hpp"

#include <limits>

// The engine knows graphs, not GANs: another task trains on data x pipe x tensor meshes under every
// schedule, with the same bits, as torch::nn does, in the bytes that were planned.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

constexpr int steps = 3;
constexpr std::array schedules{"naive", "gpipe", "1f1b", "interleaved:2", "zero-bubble", "gan"};

/// Tiles of towns that differ in the width of their streets.
data::TileStore store_of_towns(const comm::Communicator& world, const std::filesystem::path& file) {
    constexpr std::int64_t tiles = 24, pixels = 16;
    if (world.is_root()) {
        data::StoreHeader header;
        header.pixels = pixels;
        std::vector<data::TileRecord> records(tiles);
        std::vector<std::uint8_t> classes;
        for (std::int64_t t = 0; t < tiles; ++t) {
            const auto town = static_cast<std::uint16_t>(t * 7 % towns);
            records[static_cast<std::size_t>(t)].source = town;
            for (std::int64_t k = 0; k < pixels * pixels; ++k)
                classes.push_back((k % pixels + t) % 8 <= town ? 1 : k / pixels % 3 == 0 ? 2 : 0);
        }
        for (int town = 0; town < towns; ++town) header.sources.push_back({text("town", town), ""});
        data::write_tile_store(comm::Communicator::self(), file, header, records, classes);
    }
    world.barrier();
    return data::TileStore::open(world, file);
}

/// All with a tensor axis of 1 or 2; of eight ranks those whose axes are all in use, or the pipe
/// longest.
std::vector<MeshShape> meshes_of(int ranks) {
    std::vector<MeshShape> meshes;
    for (const int tensor : {1, 2})
        for (const int pipe : {1, 2, 4})
            if (ranks % (pipe * tensor) == 0 && (ranks < 8 || pipe * tensor == 4))
                meshes.push_back({{Axis::data, ranks / pipe / tensor},
                                  {Axis::pipe, pipe},
                                  {Axis::tensor, tensor}});
    return meshes;
}

/// `visit` with every table of a mesh; of the same table under several names one.
void for_each_table(MeshShape mesh,
                    const std::function<void(const planner::LayoutOptions&)>& visit) {
    for (const char* name : schedules)
        for (const bool recompute : {false, true}) {
            planner::LayoutOptions options;
            options.schedule = planner::schedule_named(name);
            options.recompute = recompute;
            INFO(to_string(mesh) << ' ' << name << (recompute ? " recompute" : ""));
            if (mesh[Axis::pipe] > 1 || std::string(name) == "1f1b" ||
                std::string(name) == "interleaved:2")
                visit(options);
        }
}

/// `NAME CHECKSUM` of every array.
std::map<std::string, std::uint64_t> checksums_of(const optim::ModelState& net) {
    std::map<std::string, std::uint64_t> all;
    for (const auto& [name, array] : net.arrays()) {
        const at::Tensor values = array.view.to(at::kDouble).contiguous();
        all[name] = checksum(0, std::span(values.const_data_ptr<double>(),
                                          static_cast<std::size_t>(values.numel())));
    }
    return all;
}

bool is_part(const std::map<std::string, std::uint64_t>& mine,
             const std::map<std::string, std::uint64_t>& all) {
    return std::all_of(mine.begin(), mine.end(), [&](const auto& array) {
        const auto same = all.find(array.first);
        return same != all.end() && same->second == array.second;
    });
}

/// Whether arrays have the bits that they had before; those that were not there are taken up.
bool agrees_with(std::map<std::string, std::uint64_t>& before,
                 const std::map<std::string, std::uint64_t>& mine) {
    before.insert(mine.begin(), mine.end());
    return is_part(mine, before);
}

/// The arrays after the same steps by torch::nn, autograd and torch::optim in fp64.
std::map<std::string, torch::Tensor> by_torch(const data::TileStore& store) {
    const planner::Workload workload = town_classifier(net::Precision::fp64);
    const ClassifierRun start(comm::Communicator::self(), workload, {}, {});
    const LabelledTiles tiles(store, workload);
    const auto& description = workload[only].description;
    auto net = sequential(description, start.net());
    torch::optim::Adam adam(net->parameters(),
                            torch::optim::AdamOptions(learning_rate).betas({0.5, 0.999}));
    for (int step = 0; step < steps; ++step) {
        adam.zero_grad();
        auto loss = torch::zeros({}, at::kDouble);
        for (std::int64_t m = 0; m < workload.micro_batches(); ++m) {
            const StepIndex now{step};
            const MicroBatch micro{m};
            loss = loss + cross_entropy(net->forward(tiles.images_BCHW(now, micro)),
                                        tiles.labels_B(now, micro), workload.batch);
        }
        loss.backward();
        adam.step();
    }
    return arrays_of(description, net);
}

/// Largest difference between what this rank holds and its part of the whole.
double distance(const optim::ModelState& net, const std::map<std::string, torch::Tensor>& whole) {
    constexpr double missing = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const auto& [name, local] : net.arrays()) {
        if (name.find("/optimizer/") != std::string::npos) continue;
        const auto found = whole.find(name);
        if (found == whole.end()) return missing;
        const at::Tensor expected = runs::part_of(found->second, local);
        most = std::max(most, (local.view - expected).abs().max().item<double>());
    }
    return most;
}

}  // namespace

TEST_CASE("a classifier learns on every mesh as torch::nn, autograd and torch::optim say") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "classifier");
    const auto store = store_of_towns(world, folder.path() / "towns.h5");
    const auto expected = by_torch(store);
    const torch::NoGradGuard quiet;
    for (const MeshShape& mesh : meshes_of(world.size()))
        for_each_table(mesh, [&](const planner::LayoutOptions& options) {
            ClassifierRun run(world, town_classifier(net::Precision::fp64), options, mesh);
            run.train(store, steps);
            REQUIRE(world.any(!run.net().arrays().empty()));
            REQUIRE_ALL(world, distance(run.net(), expected) < 1e-10);
        });
}

TEST_CASE("a classifier's bits are those of one rank, its bytes those of the plan") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "classifier");
    const auto store = store_of_towns(world, folder.path() / "towns.h5");
    for (const auto precision : {net::Precision::fp32, net::Precision::bf16}) {
        ClassifierRun alone(comm::Communicator::self(), town_classifier(precision), {}, {});
        alone.train(store, steps);
        auto expected = checksums_of(alone.net());
        ClassifierRun shorter(comm::Communicator::self(), town_classifier(precision), {}, {});
        shorter.train(store, steps - 1);
        CHECK_FALSE(is_part(checksums_of(shorter.net()), expected));
        // A rank's coordinate on the tensor axis is the same on all of these meshes.
        std::map<std::string, std::uint64_t> of_tensor;
        for (const MeshShape& mesh : meshes_of(world.size()))
            for_each_table(mesh, [&](planner::LayoutOptions options) {
                options.weight_copies = WeightCopies::rank;  // each rank has whole arrays
                ClassifierRun run(world, town_classifier(precision), options, mesh);
                run.train(store, steps);
                REQUIRE(world.any(!run.net().arrays().empty()));
                auto& known = mesh[Axis::tensor] > 1 ? of_tensor : expected;
                REQUIRE_ALL(world, agrees_with(known, checksums_of(run.net())));
                REQUIRE_ALL(world, run.planned().activations == run.peak_bytes());
                REQUIRE_ALL(world, run.planned().nets.sum() == run.net().bytes());
            });
    }
}
