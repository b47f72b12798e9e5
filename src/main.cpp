#include "civitas/train/commands.hpp"

int main(int argc, char** argv) { return civitas::train::run_command(argc, argv); }
