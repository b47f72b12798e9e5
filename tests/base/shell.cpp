#include "civitas/base/shell.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <memory>

using namespace civitas;

namespace {

/// What a shell hands to a program for this word.
std::string through_a_shell(const std::string& word) {
    const std::string command = "printf %s " + word;
    const std::unique_ptr<FILE, int (*)(FILE*)> shell(popen(command.c_str(), "r"), pclose);
    REQUIRE(shell != nullptr);
    std::array<char, 256> said{};
    return {said.data(), fread(said.data(), 1, said.size(), shell.get())};
}

}  // namespace

TEST_CASE("a shell takes a quoted word as it was") {
    for (const std::string word :
         {"tiles.h5", "my run/lock", "kind='house'", "$HOME", "a\"b", "`ls`", "a\\b", "", "*"}) {
        INFO(word);
        CHECK(through_a_shell(shell_quoted(word)) == word);
    }
    CHECK(shell_quoted("runs/a-1=b.h5") == "runs/a-1=b.h5");
}
