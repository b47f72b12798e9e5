#include "civitas/base/server_roles.hpp"

#include "support/catch.hpp"

using namespace civitas;

TEST_CASE("Parts of a step are subtrees, one for each worker if there are enough") {
    CHECK(parts_of_step(8, 2) == 2);
    CHECK(parts_of_step(8, 3) == 4);
    CHECK(parts_of_step(8, 8) == 8);
    CHECK(parts_of_step(8, 9) == 8);
    CHECK(parts_of_step(6, 2) == 3);
    CHECK(parts_of_step(6, 4) == 6);
    CHECK(parts_of_step(1, 4) == 1);
    CHECK(parts_of_step(12, 1) == 3);
}

TEST_CASE("The first ranks serve and the others work, or all do both") {
    const ServerRoles apart(4, 1), both(3, 0);
    CHECK((apart.servers() == 1 && apart.workers() == 3));
    CHECK((apart.serves(Rank{0}) && !apart.works(Rank{0})));
    CHECK((!apart.serves(Rank{1}) && apart.works(Rank{1})));
    CHECK((both.servers() == 3 && both.workers() == 3));
    CHECK((both.serves(Rank{2}) && both.works(Rank{0})));
}
