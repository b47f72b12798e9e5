#pragma once
/// Catch2's own code, which takes a quarter of a minute to compile: once for all test programs.
#include <string>

/// Runs the tests that a command line asks for; returns how many failed, or what is wrong with the
/// command line. `report`: a file for what is said, empty for the standard output.
int run_catch2(int argc, char** argv, const std::string& report = {});
