#include "civitas/io/outputs.hpp"
#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"

#include "support/temporary.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

using namespace civitas;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A folder with an input, and what is said of an output in it.
struct Desk {
    test::TemporaryFolder folder{"outputs"};
    fs::path input = at("in.gpkg");

    Desk() { std::ofstream(input) << "map"; }
    [[nodiscard]] fs::path at(const std::string& name) const { return folder.path() / name; }
    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}));
    }
    /// What require_writable says; empty when it has nothing to say.
    [[nodiscard]] std::string said(const std::vector<fs::path>& outputs, bool overwrite) const {
        io::CommandFiles files{{{"INPUT", input}, {"--config", ""}}, {}, overwrite};
        for (const auto& output : outputs)
            files.writes.push_back({files.writes.empty() ? "--output" : "--preview", output});
        const std::size_t before = size();
        std::string words;
        try {
            io::require_writable(files);
        } catch (const UsageError& error) {
            words = error.what();
        }
        CHECK(size() == before);
        CHECK(io::read_text_file(input) == "map");
        return words;
    }
};

void make_socket(const fs::path& file) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, file.c_str(), sizeof(address.sun_path) - 1);
    const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
            0);
}

}  // namespace

TEST_CASE("an output is never an input, by whatever name") {
    const Desk desk;
    fs::create_symlink("in.gpkg", desk.at("link"));
    fs::create_hard_link(desk.input, desk.at("hard"));
    fs::create_directory(desk.at("sub"));
    for (const char* name : {"in.gpkg", "./in.gpkg", "sub/../in.gpkg", "link", "hard"})
        for (const bool overwrite : {false, true}) {
            INFO(name);
            CHECK_THAT(desk.said({desk.at(name)}, overwrite),
                       Contains("would be written over INPUT") && Contains("Hint: --output"));
        }
    std::ofstream(desk.at("t.h5.part")) << "map";
    CHECK(desk.said({desk.at("t.h5")}, false).empty());
    CHECK(io::read_text_file(desk.at("t.h5.part")) == "map");  // only its name looks like a part's
}

TEST_CASE("an output is nothing in a folder that is read") {
    const Desk desk;
    fs::create_directories(desk.at("run/checkpoints"));
    std::ofstream(desk.at("elsewhere.h5")) << "state";
    fs::create_symlink(desk.at("elsewhere.h5"), desk.at("run/checkpoints/step-1.h5"));
    for (const char* name :
         {"run/checkpoints/step-1.h5", "run/checkpoints/new.h5", "elsewhere.h5"}) {
        INFO(name);
        io::CommandFiles files{
            {{"--checkpoint", desk.at("run/checkpoints")}}, {{"--output", desk.at(name)}}, true};
        CHECK_THROWS_WITH(io::require_writable(files), Contains("which is read"));
        files.writes.front().file = desk.at("run/plans.h5");
        CHECK_NOTHROW(io::require_writable(files));
    }
}

TEST_CASE("outputs of one command are different files") {
    const Desk desk;
    fs::create_symlink("a.h5", desk.at("dangling"));
    for (const char* other : {"a.h5", "sub/../a.h5", "dangling"}) {
        INFO(other);
        fs::create_directories(desk.at("sub"));
        CHECK_THAT(desk.said({desk.at("a.h5"), desk.at(other)}, true),
                   Contains("are the same file") && Contains("Hint: --preview"));
        CHECK_THAT(desk.said({desk.at(other), desk.at("a.h5")}, true),
                   Contains("are the same file"));
    }
    CHECK(desk.said({desk.at("a.h5"), desk.at("a.png")}, false).empty());
    CHECK(desk.said({desk.at("a.h5"), desk.at("a.h5.part")}, false).empty());
    CHECK(desk.said({desk.at("a.h5"), {}}, false).empty());
}

TEST_CASE("an output that exists is replaced only when that is said, what is no file never") {
    const Desk desk;
    std::ofstream(desk.at("old.h5")) << "old";
    CHECK_THAT(desk.said({desk.at("old.h5")}, false),
               Contains("old.h5 exists already. Hint: --overwrite replaces it; or --output") &&
                   Contains("old-2.h5"));
    CHECK(desk.said({desk.at("old.h5")}, true).empty());

    fs::create_directory(desk.at("folder"));
    REQUIRE(::mkfifo(desk.at("fifo").c_str(), 0600) == 0);
    make_socket(desk.at("socket"));
    std::vector<std::pair<std::string, std::string>> odd{
        {"folder", "is a folder"}, {"fifo", "is a FIFO"}, {"socket", "is a socket"}};
    const dev_t null_device = makedev(1, 3);
    if (::mknod(desk.at("device").c_str(), S_IFCHR | 0600, null_device) == 0)  // only root may
        odd.emplace_back("device", "is a device");
    for (const auto& [name, what] : odd) {
        fs::create_symlink(name, desk.at("to-" + name));
        for (const auto& file : {desk.at(name), desk.at("to-" + name)}) {
            CHECK_THAT(desk.said({file}, true), Contains(what) && Contains("no regular file"));
            CHECK_THROWS_AS(io::AtomicFile(file), Error);
            CHECK_FALSE(fs::is_regular_file(desk.at(name)));
        }
    }
}

TEST_CASE("an output's name ends as files of its format do, or as those of none that is known") {
    const Desk desk;
    const auto said = [&](const char* name) -> std::string {
        try {
            io::require_writable(
                {{},
                 {{"--page", desk.at(name), {io::FileFormat::html}}, {"--draw", desk.at("x")}},
                 true});
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    for (const char* fine : {"a.html", "a.HTM", "a", "a.page", ".html", "a.png.old", "png"})
        CHECK(said(fine).empty());
    for (const char* ending :
         {"png", "jpg", "jpeg", "svg", "pdf", "json", "csv", "txt", "h5", "PNG"})
        CHECK_THAT(said(text("a.html.", ending).c_str()),
                   Contains("is no .") && Contains("Hint: a .html or .htm file."));
    std::ofstream(desk.at("old.png")) << "old";  // and not that it exists
    CHECK_THAT(said("old.png"),
               Contains("--page ") && Contains("old.png: what is written is no .png"));
}

TEST_CASE("a link stays, the file it leads to is replaced") {
    const Desk desk;
    fs::create_directory(desk.at("scratch"));
    fs::create_symlink("scratch/p.h5", desk.at("link.h5"));
    CHECK(desk.said({desk.at("link.h5")}, false).empty());  // it leads to nothing yet
    for (const char* words : {"first", "second"}) {
        io::write_text_file(desk.at("link.h5"), words);
        CHECK(fs::is_symlink(desk.at("link.h5")));
        CHECK(io::read_text_file(desk.at("scratch/p.h5")) == words);
    }
    CHECK_THAT(desk.said({desk.at("link.h5")}, false),
               Contains("scratch/p.h5) exists already") && Contains("--overwrite"));
    CHECK(desk.said({desk.at("link.h5")}, true).empty());
    fs::create_symlink("round", desk.at("round"));
    CHECK_THAT(desk.said({desk.at("round")}, true), Contains("leads in a circle"));
    CHECK_THROWS_WITH(io::AtomicFile(desk.at("round")), Contains("leads in a circle"));
    fs::create_symlink("none/p.h5", desk.at("astray"));
    CHECK_THAT(desk.said({desk.at("astray")}, true), Contains("there is no folder"));
}

TEST_CASE("a folder that is missing or cannot be written is told before any work") {
    const Desk desk;
    CHECK_THAT(desk.said({desk.at("none/t.h5")}, false),
               Contains("there is no folder") && Contains("Hint: mkdir -p "));
    CHECK_THAT(desk.said({desk.at("a b/t.h5")}, false), Contains("mkdir -p '"));
    CHECK_THAT(desk.said({desk.at("in.gpkg/t.h5")}, false), Contains("is no folder"));
    CHECK_THAT(desk.said({"/proc/t.h5"}, false), Contains("cannot be written"));
}

TEST_CASE("a folder of outputs may be there, or be made, and holds nothing that is read") {
    const Desk desk;
    fs::create_directories(desk.at("run/checkpoints"));
    const auto said = [&](const std::string& folder) -> std::string {
        const io::CommandFiles files{.reads = {{"RUN", desk.at("run/checkpoints")}},
                                     .writes = {},
                                     .folders = {{"--events", desk.at(folder)}, {"--more", ""}}};
        try {
            io::require_writable(files);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    for (const char* fine : {"events", "run", "run/events", "many/of/them"})
        CHECK(said(fine).empty());
    CHECK_THAT(said("in.gpkg"), Contains("in.gpkg is no folder. Hint: --events"));
    CHECK_THAT(said("in.gpkg/events"), Contains("in.gpkg is no folder. Hint: --events"));
    CHECK_THAT(said("run/checkpoints"), Contains("which is read. Hint: --events"));
    CHECK_THAT(said("run/checkpoints/a/b"), Contains("which is read. Hint: --events"));
    CHECK_THAT(said("/proc/events"), Contains("cannot be written"));
    CHECK(desk.size() == 2);
    CHECK(fs::is_empty(desk.at("run/checkpoints")));
}
