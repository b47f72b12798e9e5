#include "civitas/base/libraries.hpp"

#include <dlfcn.h>
#include <link.h>
#include <cstddef>
#include <string>
#include <vector>

namespace civitas {
namespace {

int add_name(dl_phdr_info* library, std::size_t, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(library->dlpi_name);
    return 0;
}

}  // namespace

// The names are collected first: dl_iterate_phdr holds a lock that dlopen takes after another one.
// The handles are never closed. The program itself has an empty name, and is never unloaded.
void keep_libraries_loaded() {
    std::vector<std::string> names;
    dl_iterate_phdr(add_name, &names);
    for (const std::string& name : names)
        if (!name.empty()) dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace civitas
