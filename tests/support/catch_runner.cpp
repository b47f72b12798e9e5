#include "support/catch_runner.hpp"

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

int run_catch2(int argc, char** argv, const std::string& report) {
    Catch::Session catch2;
    if (const int bad = catch2.applyCommandLine(argc, argv)) return bad;
    if (!report.empty()) catch2.configData().outputFilename = report;
    return catch2.run();
}
