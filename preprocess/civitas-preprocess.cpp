#include "civitas/base/exit.hpp"
#include "civitas/cli/program.hpp"
#include "preprocess/images/command.hpp"

int main(int argc, char** argv) {
    using namespace civitas;
    end_process(cli::run_program(argc, argv, [&](const comm::Communicator& ranks) {
        return images::preprocess_command(ranks, argc, argv);
    }));
}
