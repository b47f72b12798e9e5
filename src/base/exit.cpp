#include "civitas/base/exit.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace civitas {

void end_process(int code) {
    std::cout.flush();
    std::fflush(nullptr);
#ifdef __SANITIZE_ADDRESS__
    std::exit(code);  // leaks are looked for on the way out
#else
    std::_Exit(code);
#endif
}

}  // namespace civitas
