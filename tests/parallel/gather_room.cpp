#include "divided_gan.hpp"

// Steps of ranks that gather weights once for a node, against those of one rank that has all.

using namespace civitas;
using namespace civitas::test;

TEST_CASE("ranks of a node gather weights once, with the same bits and in the room of the plan") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    for (const int ranks_of_node : {2, 4}) {
        const comm::NodeCollectives data(world, index(world.rank()) / ranks_of_node, revocation);
        for (const Options& options :
             {Options{}, Options{.precision = net::Precision::bf16, .table = "zero-bubble"}}) {
            optim::GatherRoom room = gather_room_of(data, options);
            TinyRun whole(options, {});
            TinyRun part(options, {&data, &room});
            CHECK(room.bytes() >= planned_bytes(part, options));
            for (int step = 0; step < 3; ++step) {
                whole.step();
                part.step();
                REQUIRE_ALL(world, same(part, whole));
            }
            CHECK(part.executor.peak_gathered_bytes() == planned_bytes(part, options));
            CHECK(is_released(part.generator));
            CHECK(is_released(part.discriminator));
        }
    }
}

TEST_CASE("what is gathered for a node is written anew when all of its ranks have released it") {
    const auto world = Communicator::world();
    const comm::Revocation revocation(world);
    const comm::NodeCollectives data(world, 0, revocation);
    optim::GatherRoom room(data, 256);
    const auto taken_by_all = [&](std::int64_t bytes, int value) {
        const at::Tensor place = room.take(bytes);
        if (world.is_root()) place.fill_(value);
        data.wait_for_node(data.arrive_on_node());
        return place;
    };
    for (int round = 0; round < 50; ++round) {
        const at::Tensor one = taken_by_all(128, 1);
        const at::Tensor two = taken_by_all(64, 2);
        REQUIRE_ALL(world, one.eq(1).all().item<bool>());
        room.release(one);  // the root goes on and writes as soon as all have
        const at::Tensor three = taken_by_all(128, 3);
        REQUIRE_ALL(world, two.eq(2).all().item<bool>() && three.eq(3).all().item<bool>());
        room.release(two);
        room.release(three);
    }
    CHECK_THROWS_WITH(room.take(257), Catch::Contains("room for what is gathered at once"));
}

TEST_CASE("a step that fails gives back what was gathered for a node") {
    const auto world = Communicator::world();
    comm::Revocation revocation(world);
    const comm::NodeCollectives data(world, 0, revocation);
    optim::GatherRoom room = gather_room_of(data, {});
    TinyRun whole({}, {});
    TinyRun part({}, {&data, &room});
    for (const schedule::PassId pass : {schedule::gan::generate, schedule::gan::fake})
        fail_in(part, pass, revocation, data);
    whole.step();
    part.step();
    REQUIRE_ALL(world, same(part, whole));
}
