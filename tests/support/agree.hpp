#pragma once
#include "civitas/comm/communicator.hpp"

#include <catch2/catch.hpp>

/// REQUIRE on all ranks together: if it fails on one, every rank leaves the test, so no rank waits
/// in the next collective.
#define REQUIRE_ALL(ranks, ...)                                                  \
    do {                                                                         \
        const bool true_here = static_cast<bool>(__VA_ARGS__);                   \
        CHECK(true_here);                                                        \
        if (!(ranks).all(true_here)) FAIL("failed on some rank: " #__VA_ARGS__); \
    } while (false)
