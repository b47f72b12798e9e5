#include "civitas/comm/session.hpp"
#include "preprocess/maps/program.hpp"

int main(int argc, char** argv) {
    return civitas::comm::run_session(argc, argv,
                                      [&] { return civitas::maps::run_program(argc, argv); });
}
