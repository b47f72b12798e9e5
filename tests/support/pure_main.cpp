// Catch2 by itself: tests of what runs on no rank.
#include "support/catch_runner.hpp"

int main(int argc, char** argv) { return run_catch2(argc, argv); }
