// Catch2 by itself: tests of what runs on no rank.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
