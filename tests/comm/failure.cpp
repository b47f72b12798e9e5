#include "support/tensor.hpp"

#include "civitas/comm/failure.hpp"

#include "civitas/base/unreadable.hpp"
#include "civitas/comm/agree.hpp"

#include <filesystem>
#include <new>
#include <system_error>

#include "support/agree.hpp"

using namespace civitas;
using Catch::Matchers::Contains;

namespace {

/// What is said of an error of libtorch's.
template <class Work>
std::string said(Work&& work) {
    try {
        (void)work();
    } catch (const std::exception& e) {
        return comm::message_of(e);
    }
    return "no error";
}

}  // namespace

TEST_CASE("too little memory is told in a line, with what was asked for") {
    CHECK(comm::message_of(std::bad_alloc()) == "not enough memory");
    CHECK(said([] { return at::empty({std::int64_t{1} << 50}, at::kByte); }) ==
          "not enough memory for 1125899906842624 bytes");
    const auto again = std::make_error_code(std::errc::resource_unavailable_try_again);
    CHECK(comm::message_of(std::system_error(again)) ==
          "another thread could not be started. Hint: look at the limits of processes and memory: "
          "ulimit -u, ulimit -v.");
    CHECK_THAT(
        said([] { return std::filesystem::status(std::string(300, 'x')); }),
        Contains("cannot look at or change \"xxx") && Contains("File name too long. Hint: ls -ld"));
    CHECK(comm::lacks_memory(std::bad_alloc()));
    CHECK_FALSE(comm::lacks_memory(Error("no such file")));
}

TEST_CASE("a file that cannot be read, or not with so little memory, is not a damaged one") {
    const auto world = comm::Communicator::world();
    const auto agreed_on = [&](const auto& work) {
        try {
            comm::agree(world, [&] { comm::agree(world, work); });
        } catch (const AgreedError& e) {
            return comm::is_no_damage(e);
        }
        return false;
    };
    CHECK(comm::is_no_damage(UnreadableError("Input/output error")));
    CHECK(agreed_on([] { throw UnreadableError("Input/output error"); }));
    CHECK(agreed_on([] { throw std::bad_alloc(); }));
    CHECK_FALSE(agreed_on([] { throw Error("it is cut short"); }));
    CHECK_THROWS_WITH(comm::agree(world, [] { throw UnreadableError("Input/output error"); }),
                      "Input/output error");
}

TEST_CASE("other errors of libtorch's come without its frames") {
    const std::string words = said([] { return at::empty({-1}); });
    CHECK(words.find("negative dimension") != std::string::npos);
    CHECK(words.find('\n') == std::string::npos);
    CHECK(words.find("frame #") == std::string::npos);
    CHECK(comm::message_of(Error("ours", Hint{"theirs"})) == "ours. Hint: theirs.");
}

TEST_CASE("what ranks agree on is that line") {
    const auto world = comm::Communicator::world();
    CHECK_THROWS_WITH(
        comm::agree(world, [] { return at::empty({std::int64_t{1} << 50}, at::kByte); }),
        "not enough memory for 1125899906842624 bytes");
}
