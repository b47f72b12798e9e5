#include "civitas/app/run_command.hpp"

int main(int argc, char** argv) { return civitas::app::run_command(argc, argv); }
