#include "civitas/base/exit.hpp"
#include "civitas/cli/program.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "preprocess/vectorize/command.hpp"

#include <gdal.h>
#include <geos_c.h>

int main(int argc, char** argv) {
    using namespace civitas;
    const auto body = [&](const comm::Communicator& world) {
        return vectorize::vectorize_command(world, argc, argv);
    };
    end_process(cli::run_program(argc, argv, body, [] {
        return std::vector<Component>{
            {"GDAL", GDALVersionInfo("RELEASE_NAME")}, {"GEOS", GEOSversion()}, hdf5::component()};
    }));
}
