#include "civitas/steps/tracer.hpp"

#include "support/agree.hpp"
#include "support/file_size_limit.hpp"
#include "support/shared_folder.hpp"
#include "tasks/gan_runs.hpp"

#include <mpi.h>
#include <map>
#include <nlohmann/json.hpp>

// What every rank has recorded comes to the root alone, rank after rank.

namespace {

std::int64_t received = 0;  ///< bytes of messages to this rank

}  // namespace

/// Stands before MPI's own, as its profiling interface foresees.
extern "C" int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                         MPI_Request* request) {
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    received += std::int64_t{count} * bytes;
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

using namespace civitas;
using namespace civitas::steps;
using namespace civitas::train;
using namespace civitas::tasks::runs;

namespace {

constexpr int recorded_steps = 3;
constexpr int repeats = 40;  ///< of a table in what is recorded as one step

std::vector<std::string> meshes_of(int ranks) {
    std::vector<std::string> meshes{text("data=", ranks), text("pipe=", ranks)};
    if (ranks == 4) meshes.insert(meshes.end(), {"data=2,pipe=2", "pipe=2,tensor=2"});
    return meshes;
}

planner::Configuration laid_out(const std::string& mesh) {
    planner::Configuration c = small_run();
    c.layout_options.mesh = MeshRequest(mesh);
    return c;
}

/// Bytes of what this rank has recorded.
std::int64_t record(Tracer& tracer, const Ours& ours) {
    std::int64_t bytes = 0;
    for (int step = 0; step < recorded_steps; ++step) {
        parallel::Recording* const recording = tracer.begin_step();
        REQUIRE(recording != nullptr);
        for (int repeat = 0; repeat < repeats; ++repeat)
            for (const schedule::Action& action : ours.table()) {
                const auto now = static_cast<double>(recording->actions.size());
                recording->actions.push_back({action, now, 0, now + 0.5});
            }
        recording->timeline.spans.push_back({Talk::meeting, 0, 1});
        tracer.step_done();
        bytes = static_cast<std::int64_t>(std::span(recording->actions).size_bytes());
    }
    return bytes;
}

/// How many events of each kind a file holds.
std::map<std::string, std::int64_t> events_in(const std::filesystem::path& file) {
    std::map<std::string, std::int64_t> count;
    const auto trace = nlohmann::json::parse(test::content(file));
    for (const auto& event : trace.at("traceEvents")) ++count[event.at("ph")];
    return count;
}

}  // namespace

TEST_CASE("the root writes what all ranks have recorded, and no other rank is sent any of it") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "tracer");
    for (const std::string& mesh : meshes_of(world.size())) {
        INFO(mesh);
        const Ours ours(world, laid_out(mesh));
        const auto file = folder.path() / (mesh + ".json");
        Tracer tracer(file, io::Replace::no, ours.mesh, ours.layout);
        const std::int64_t bytes = record(tracer, ours);
        const std::int64_t all = world.sum(bytes);
        const std::int64_t before = received;
        tracer.write_when_done();  // which it is not
        tracer.finish();
        tracer.finish();  // which it has
        CHECK(tracer.begin_step() == nullptr);
        CHECK(received - before >= (world.is_root() ? all - bytes : 0));
        CHECK((world.is_root() || received - before == 0));
        const auto actions =
            world.sum(static_cast<std::int64_t>(ours.table().size()) * repeats * recorded_steps);
        if (!world.is_root()) continue;
        auto events = events_in(file);
        CHECK(events["M"] == world.size());
        CHECK(events["X"] == actions + world.size() * recorded_steps);
        CHECK((events["s"] > 0) == (ours.layout.mesh[Axis::pipe] > 1));
        CHECK(events["s"] == events["f"]);
    }
}

TEST_CASE("a trace that there is no room for is an error of all ranks, and no file") {
    const auto world = comm::Communicator::world();
    const test::SharedFolder folder(world, "tracer-room");
    for (const std::string& mesh : meshes_of(world.size())) {
        INFO(mesh);
        const Ours ours(world, laid_out(mesh));
        Tracer tracer(folder.path() / "trace.json", io::Replace::no, ours.mesh, ours.layout);
        (void)record(tracer, ours);
        {
            const test::FileSizeLimit limit(world.is_root() ? 10'000 : RLIM_INFINITY);
            CHECK_THROWS_WITH(tracer.finish(), Catch::Contains("File too large. Hint: free some"));
        }
        world.barrier();
        CHECK(std::filesystem::is_empty(folder.path()));
        world.barrier();
    }
}
