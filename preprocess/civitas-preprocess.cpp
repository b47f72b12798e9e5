#include "civitas/base/exit.hpp"
#include "civitas/cli/program.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "preprocess/images/command.hpp"

#include <gdal.h>

int main(int argc, char** argv) {
    using namespace civitas;
    const auto body = [&](const comm::Communicator& ranks) {
        return images::preprocess_command(ranks, argc, argv);
    };
    end_process(cli::run_program(argc, argv, body, [] {
        return std::vector<Component>{{"GDAL", GDALVersionInfo("RELEASE_NAME")}, hdf5::component()};
    }));
}
