#include "civitas/base/libraries.hpp"

#include "support/catch.hpp"

#include <dlfcn.h>

namespace {

constexpr const char* unused = "libBrokenLocale.so.1";  // comes with glibc, and nothing needs it

void open_and_close(void (*before_close)()) {
    void* library = dlopen(unused, RTLD_NOW);
    REQUIRE(library != nullptr);
    before_close();
    REQUIRE(dlclose(library) == 0);
}

bool is_loaded() { return dlopen(unused, RTLD_NOW | RTLD_NOLOAD) != nullptr; }

}  // namespace

TEST_CASE("a library that is closed stays loaded where that was asked for") {
    open_and_close([] {});
    REQUIRE_FALSE(is_loaded());
    open_and_close(civitas::keep_libraries_loaded);
    CHECK(is_loaded());
}
