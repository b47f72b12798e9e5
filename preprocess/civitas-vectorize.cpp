#include "civitas/comm/session.hpp"
#include "preprocess/vectorize/command.hpp"

int main(int argc, char** argv) {
    using namespace civitas;
    return comm::run_session(argc, argv, [&] { return vectorize::vectorize_command(argc, argv); });
}
