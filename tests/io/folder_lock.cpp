#include "civitas/io/folder_lock.hpp"

#include "civitas/base/error.hpp"
#include "support/temporary.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <future>
#include <optional>
#include <sstream>
#include <thread>

using namespace civitas;
using namespace civitas::io;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& words) { std::ofstream(file) << words; }

/// The lock of a folder, and what it told.
struct Taken {
    explicit Taken(const fs::path& folder)
        : lock(folder, 0.2, [this](const std::string& line) { told += line; }) {}
    std::string told;
    FolderLock lock;
};

LockOwner somebody() { return {{"node7", "boot-7", 4711, 99}, "2026-01-02 03:04:05 UTC", "12", 1}; }

}  // namespace

TEST_CASE("an owner's words read back") {
    CHECK(parse_owner(to_text(somebody())) == somebody());
    LockOwner outside = somebody();
    outside.job.clear();
    CHECK(parse_owner(to_text(outside)) == outside);
    CHECK(!parse_owner(""));
    CHECK(!parse_owner("host = node7\npid = 4\n"));
}

TEST_CASE("an owner has ended when its process or its machine's boot has, or its job began again") {
    LockOwner me = somebody();
    CHECK(judge(somebody(), me, 99) == Owner::lives);
    CHECK(judge(somebody(), me, 100) == Owner::ended);
    CHECK(judge(somebody(), me, {}) == Owner::ended);
    me.process.boot = "boot-8";
    CHECK(judge(somebody(), me, 99) == Owner::ended);
    me.process.host = "node8";
    CHECK(judge(somebody(), me, 99) == Owner::elsewhere);
    me.restart = 2;
    CHECK(judge(somebody(), me, 99) == Owner::ended);
    me.job = "13";
    CHECK(judge(somebody(), me, 99) == Owner::elsewhere);
    LockOwner outside = somebody();
    outside.job = me.job = "";
    CHECK(judge(outside, me, 99) == Owner::elsewhere);
}

TEST_CASE("a held folder is refused, with the owner's name, until it is released") {
    const test::TemporaryFolder folder("lock");
    {
        const Taken first(folder.path());
        CHECK(first.told.empty());
        CHECK_THROWS_WITH(Taken(folder.path()),
                          Catch::Contains(text("is in use by process ", getpid(), " on host ")) &&
                              Catch::Contains("Hint: wait until that ends"));
    }
    CHECK(fs::is_empty(folder.path()));
    const Taken again(folder.path());
    CHECK(again.told.empty());
}

TEST_CASE("the lock of a process that was killed is taken over with a word") {
    const test::TemporaryFolder folder("lock");
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const FolderLock kept(folder.path(), 0, [](const std::string&) {});
        _exit(0);  // no destructor, as with kill -9
    }
    waitpid(child, nullptr, 0);
    REQUIRE(fs::exists(folder.path() / "lock"));
    {
        const Taken after(folder.path());
        CHECK_THAT(after.told, Catch::Contains(text("from process ", child, " on host ")) &&
                                   Catch::Contains("which has ended"));
        CHECK_THAT(test::content(folder.path() / "lock"),
                   Catch::Contains(text("pid = ", getpid())));
    }
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("an owner on another machine is told, with how to remove its lock") {
    const test::TemporaryFolder folder("lock");
    const fs::path lock = folder.path() / "lock";
    write(lock, to_text(somebody()));
    CHECK_THROWS_WITH(
        Taken(folder.path()),
        Catch::Contains("process 4711 on host node7 since 2026-01-02 03:04:05 UTC, "
                        "job 12, which cannot be seen from ") &&
            Catch::Contains(text("Hint: if that process has ended, rm ", lock.string())));
    write(lock, "");
    CHECK_THROWS_WITH(Taken(folder.path()), Catch::Contains("does not say by whom"));
    CHECK(fs::exists(lock));
    fs::remove(lock);
    fs::create_directory(lock);
    CHECK_THROWS_WITH(Taken(folder.path()), Catch::Contains("does not say by whom"));
}

TEST_CASE("a lock that somebody else has put in place of ours stays") {
    const test::TemporaryFolder folder("lock");
    {
        const Taken mine(folder.path());
        fs::remove(folder.path() / "lock");
        write(folder.path() / "lock", "another's");
    }
    CHECK(test::content(folder.path() / "lock") == "another's");
}

TEST_CASE("who waits for a folder makes its draft again when the owner clears it away") {
    const test::TemporaryFolder folder("lock");
    std::optional<Taken> owner(std::in_place, folder.path());
    const auto draft = [&] {
        for (const auto& entry : fs::directory_iterator(folder.path()))
            if (entry.path().extension() == ".part") return entry.path();
        return fs::path();
    };
    auto next = std::async(std::launch::async,
                           [&] { FolderLock(folder.path(), 20, [](const std::string&) {}); });
    while (draft().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fs::remove(draft());
    owner.reset();
    CHECK_NOTHROW(next.get());
}
