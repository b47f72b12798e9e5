#include "civitas/app/run_command.hpp"
#include "civitas/base/exit.hpp"

int main(int argc, char** argv) { civitas::end_process(civitas::app::run_command(argc, argv)); }
