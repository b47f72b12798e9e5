#pragma once
#include "civitas/comm/communicator.hpp"

#include <catch2/catch.hpp>

/// REQUIRE on all ranks together: if it fails on one, every rank leaves the test, so no rank waits
/// in the next collective.
#define REQUIRE_ALL(ranks, ...)                                             \
    do {                                                                    \
        const bool mine = static_cast<bool>(__VA_ARGS__);                   \
        CHECK(mine);                                                        \
        if (!(ranks).all(mine)) FAIL("failed on some rank: " #__VA_ARGS__); \
    } while (false)
