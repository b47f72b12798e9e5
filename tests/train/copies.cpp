#include "support/tensor.hpp"

#include "civitas/runs/held_run_folder.hpp"
#include "civitas/runs/run_state.hpp"
#include "support/agree.hpp"
#include "support/shared_folder.hpp"
#include "train/agreement.hpp"

// Arrays that several ranks hold must be equal when a checkpoint is written.

using namespace civitas;
using namespace civitas::test;
using namespace civitas::train;

namespace {

void write_store(const comm::Communicator& ranks, const std::filesystem::path& file) {
    data::StoreHeader header;
    header.crs_epsg = 2056;
    header.pixels = 64;
    header.sources = {{"zeros", ""}};
    const std::size_t tiles = ranks.is_root() ? 4 : 0;
    const std::vector<std::uint8_t> classes(tiles * 64 * 64);
    data::write_tile_store(ranks, file, header, std::vector<data::TileRecord>(tiles), classes);
}

planner::Configuration configuration(const std::string& mesh) {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64",
                                    .nz = 7,
                                    .generator_widths = {8, 9, 5, 8},  // nothing divides deconv2
                                    .discriminator_widths = {8, 8, 8, 8}});
    c.problem.batch = 8;
    c.problem.micro_batch = 2;
    c.layout_options.mesh = MeshRequest(mesh);
    c.layout_options.threads = 1;
    c.layout_options.weight_copies = WeightCopies::rank;
    return c;
}

/// What saving says after the last rank's copy of a parameter has changed.
std::string refused(const comm::Communicator& world, const std::string& mesh,
                    const std::string& parameter) {
    const SharedFolder folder(world, "copies");
    write_store(world, folder.path() / "tiles.h5");
    const planner::Configuration c = configuration(mesh);
    Log log(world.rank());
    const planner::ExecutionLayout layout = agree_on_layout(world, c, agree_on_model(world, c));
    const environment::Process process =
        agree_on_process(world, c.layout_options, layout.mesh, log);
    const comm::Mesh axes(world, layout.mesh);
    const auto store = data::TileStore::open(world, folder.path() / "tiles.h5");
    runs::RunState state(c, layout, process, axes, store);
    const auto arrays = state.models()[schedule::gan::generator].arrays();
    if (index(world.rank()) == world.size() - 1)
        arrays.at("/generator/parameters/" + parameter).view.view(-1)[0].mul_(2);
    try {
        state.save(runs::hold_run_folder(world, folder.path() / "run", log).folder, log);
    } catch (const AgreedError& e) {
        return e.what();
    }
    return "saved";
}

}  // namespace

TEST_CASE("copies along the data and the tensor axis that differ are named, on every rank") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const auto n = world.size();
    const std::string whole = "the copies of /generator/parameters/norm2.weight on replicas 0 and ";
    CHECK_THAT(refused(world, text("data=", n), "norm2.weight"),
               Catch::Contains(text(whole, n - 1, " differ")));
    CHECK_THAT(refused(world, text("tensor=", n), "norm2.weight"),
               Catch::Contains(text(whole, n - 1, " differ")));
    CHECK(refused(world, text("tensor=", n), "norm0.weight") == "saved");
    if (n == 4)  // one rank of four: the groups that see nothing hear of it
        CHECK_THAT(refused(world, "data=2,tensor=2", "norm0.weight"),
                   Catch::Contains("norm0.weight on replicas 0 and 1 differ"));
}
