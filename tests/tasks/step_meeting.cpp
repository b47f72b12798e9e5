#include "civitas/tasks/step_meeting.hpp"

#include "support/agree.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::tasks;

namespace {

constexpr std::int64_t micro_batches = 6;

/// Two numbers by which a micro-batch of the step is known.
std::vector<double> figures_of(MicroBatch micro) {
    const auto number = static_cast<double>(index(micro));
    return {number, -100 * number};
}

}  // namespace

TEST_CASE("a meeting brings what every rank tells, and the figures in the order of the step") {
    const auto world = comm::Communicator::world();
    const int ranks = world.size();
    const std::vector<MeshShape> meshes =
        ranks % 2 == 0 ? std::vector<MeshShape>{{{Axis::data, ranks}},
                                                {{Axis::data, ranks / 2}, {Axis::pipe, 2}},
                                                {{Axis::data, ranks / 2}, {Axis::tensor, 2}}}
                       : std::vector<MeshShape>{{{Axis::data, ranks}}};
    for (const MeshShape& shape : meshes) {
        INFO(to_string(shape));
        const comm::Mesh mesh(world, shape);
        const PipeCoordinate last{shape[Axis::pipe] - 1};
        const StepMeeting meeting(mesh, {last, 2, micro_batches});
        const auto own = own_micro_batches(micro_batches, shape, mesh.coordinate());
        // Who brings no figures may have some all the same, which are not looked at.
        std::vector<double> figures;
        const bool brings =
            mesh.coordinate().pipe() == last && mesh.coordinate()[Axis::tensor] == 0;
        for (std::int64_t i = 0; i < own.count(); ++i)
            for (const double x : figures_of(own.global(LocalMicroBatch{i})))
                figures.push_back(brings ? x : 0.5);
        const auto rank = static_cast<double>(index(world.rank()));
        const bool is_last = index(world.rank()) == ranks - 1;
        const StepReports reports =
            meeting.meet({.trouble = world.is_root() ? Trouble::failed
                                     : is_last       ? Trouble::not_finite
                                                     : Trouble::none,
                          .next = {.wish = world.is_root() ? Wish::end_with_error
                                           : is_last       ? Wish::stop
                                                           : Wish::go_on,
                                   .save_is_due = is_last,
                                   .writing_is_done = !is_last},
                          .arrived_s = 1 + rank,
                          .bytes = 10 * index(world.rank())},
                         figures, std::vector<PipeTraffic>{{index(world.rank()), 1 + rank}});
        std::vector<double> expected;
        for (std::int64_t micro = 0; micro < micro_batches; ++micro)
            for (const double x : figures_of(MicroBatch{micro})) expected.push_back(x);
        REQUIRE_ALL(world, reports.figures == expected);
        REQUIRE_ALL(world, reports.worst() == Trouble::failed);
        REQUIRE_ALL(world, reports.next().wish == Wish::end_with_error);
        REQUIRE_ALL(world, reports.next().save_is_due && !reports.next().writing_is_done);
        REQUIRE_ALL(world, reports.seconds() == ranks);
        REQUIRE_ALL(world, std::ssize(reports.ranks) == ranks &&
                               reports.ranks.back().bytes == 10 * (ranks - 1));
        REQUIRE_ALL(world, std::ssize(reports.traffic) == ranks);
        for (int r = 0; r < ranks; ++r) {
            const auto& told = reports.traffic[static_cast<std::size_t>(r)];
            REQUIRE_ALL(world, std::ssize(told) == shape[Axis::pipe]);
            REQUIRE_ALL(world, told.front().bytes_sent == r && told.front().waited_s == 1 + r);
            REQUIRE_ALL(world, std::all_of(told.begin() + 1, told.end(), [](const auto& other) {
                            return other.bytes_sent == 0 && other.waited_s == 0;
                        }));
        }
    }
}

TEST_CASE("a rank that has failed brings zeros for the figures it lacks") {
    const auto world = comm::Communicator::world();
    const comm::Mesh mesh(world, {{Axis::data, world.size()}});
    const StepMeeting meeting(mesh, {PipeCoordinate{0}, 2, micro_batches});
    const bool failed = world.is_root();
    const auto own = own_micro_batches(micro_batches, mesh.shape(), mesh.coordinate());
    const std::vector<double> figures(failed ? 0 : static_cast<std::size_t>(2 * own.count()), 7);
    const StepReports reports =
        meeting.meet({.trouble = failed ? Trouble::failed : Trouble::none}, figures);
    REQUIRE_ALL(world, reports.worst() == Trouble::failed);
    REQUIRE_ALL(world, reports.figures.size() == 12 && reports.figures.front() == 0);
    REQUIRE_ALL(world, reports.figures.back() == (world.size() == 1 ? 0 : 7));
}
