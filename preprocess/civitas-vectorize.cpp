#include "civitas/base/exit.hpp"
#include "civitas/cli/program.hpp"
#include "preprocess/vectorize/command.hpp"

int main(int argc, char** argv) {
    using namespace civitas;
    end_process(cli::run_program(argc, argv, [&](const comm::Communicator& world) {
        return vectorize::vectorize_command(world, argc, argv);
    }));
}
