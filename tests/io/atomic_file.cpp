#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"

#include "support/temporary.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

using namespace civitas;
using Catch::Matchers::Contains;
using io::Replace;
namespace fs = std::filesystem;

namespace {

/// What the file system knows besides plain renaming; below it is imitated for the whole program.
enum class FileSystem { complete, without_exclusive_rename, without_links, losing_answers };
FileSystem& file_system() {
    static FileSystem current = FileSystem::complete;
    return current;
}

bool fails(int error) {
    errno = error;
    return true;
}

constexpr std::array all_file_systems{FileSystem::complete, FileSystem::without_exclusive_rename,
                                      FileSystem::without_links, FileSystem::losing_answers};

/// A folder and what is in it.
struct Desk {
    test::TemporaryFolder folder{"parts"};
    fs::path file = at("q.h5");
    ~Desk() { file_system() = FileSystem::complete; }
    [[nodiscard]] fs::path at(const std::string& name) const { return folder.path() / name; }
    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}));
    }
};

}  // namespace

// Named as in the C library, these come before it.
extern "C" int renameat2(int from, const char* old_name, int to, const char* new_name,
                         unsigned flags) noexcept {
    if (file_system() != FileSystem::complete && fails(EINVAL)) return -1;
    return static_cast<int>(::syscall(SYS_renameat2, from, old_name, to, new_name, flags));
}
extern "C" int link(const char* old_name, const char* new_name) noexcept {
    if (file_system() == FileSystem::without_links && fails(EPERM)) return -1;
    const auto result =
        static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, old_name, AT_FDCWD, new_name, 0));
    return file_system() == FileSystem::losing_answers && fails(EEXIST) ? -1 : result;
}

TEST_CASE("files in the making of one name share nothing, and nobody's file is touched") {
    const Desk desk;
    std::ofstream(desk.at("q.h5.part")) << "a download";
    fs::create_symlink("q.h5.part", desk.at("q.h5.part-link"));
    {
        io::AtomicFile first(desk.file), second(desk.file);
        CHECK(first.part() != second.part());
        CHECK(first.part().parent_path() == desk.folder.path());
        std::ofstream(first.part()) << "first";
        std::ofstream(second.part()) << "second";
        first.commit();
        CHECK(io::read_text_file(desk.file) == "first");
        second.commit();
        CHECK(io::read_text_file(desk.file) == "second");
        const io::AtomicFile abandoned(desk.file);
    }
    CHECK(io::read_text_file(desk.at("q.h5.part")) == "a download");
    CHECK(desk.size() == 3);
}

TEST_CASE("what appears before the commit is kept, unless it is to be replaced") {
    for (const auto system : all_file_systems) {
        const Desk desk;
        file_system() = system;
        INFO("file system " << static_cast<int>(system));
        {
            io::AtomicFile ours(desk.file, Replace::no);
            std::ofstream(ours.part()) << "ours";
            std::ofstream(desk.file) << "theirs";
            CHECK_THROWS_WITH(ours.commit(), Contains("q.h5\": it appeared while") &&
                                                 Contains("Hint: ") && Contains("--overwrite"));
        }
        CHECK(io::read_text_file(desk.file) == "theirs");
        CHECK(desk.size() == 1);
        CHECK_THROWS_WITH(io::AtomicFile(desk.file, Replace::no), Contains("it appeared while"));
        CHECK_THROWS_WITH(io::write_text_file(desk.file, "ours", Replace::no),
                          Contains("it appeared while"));
        CHECK(io::read_text_file(desk.file) == "theirs");
        io::write_text_file(desk.file, "ours", Replace::yes);
        CHECK(io::read_text_file(desk.file) == "ours");
        CHECK(desk.size() == 1);
    }
}

TEST_CASE("a free name is given on every file system, through a link that leads to nothing too") {
    for (const auto system : all_file_systems) {
        const Desk desk;
        file_system() = system;
        INFO("file system " << static_cast<int>(system));
        fs::create_symlink("q.h5", desk.at("link"));
        io::write_text_file(desk.at("link"), "ours", Replace::no);
        CHECK(fs::is_symlink(desk.at("link")));
        CHECK(fs::is_regular_file(fs::symlink_status(desk.file)));
        CHECK(io::read_text_file(desk.file) == "ours");
        CHECK(desk.size() == 2);
    }
}

TEST_CASE("a part is told by its name") {
    const Desk desk;
    const io::AtomicFile file(desk.file);
    CHECK(io::name_of_part(file.part().filename().string()) == "q.h5");
    CHECK(io::name_of_part("lock.here.1.part") == "lock.here.1");
    CHECK(io::name_of_part("a.part.part-0123abcd") == "a.part");
    for (const char* other :
         {"q.h5", "q.h5.partial", "q.h5.part-", "q.h5.part-0123abc", ".part", "q.h5.part-0123abcde",
          "q.h5.part-0123ABCD", "q.h5.part.old", "q.h5.part0123abcde", "q.part-0123abcd.h5"}) {
        INFO(other);
        CHECK(!io::name_of_part(other));
    }
}
