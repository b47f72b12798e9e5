// What civitas-preprocess reads with readers of its own.
#include "kinds.hpp"

#include "civitas/io/files.hpp"
#include "interlis/made_itf.hpp"
#include "interlis/made_xtf.hpp"
#include "preprocess/interlis/land_cover_map.hpp"
#include "preprocess/rules/rules.hpp"

#include <fstream>

namespace civitas::fuzz {
namespace {

namespace fs = std::filesystem;

void write_plainly(const fs::path& file, const Bytes& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

auto transfer(interlis::Format format) {
    return [format](const fs::path& file) {
        static_cast<void>(interlis::read_land_cover({file.string(), file.string()}, format, {}));
    };
}

void read_rules(const fs::path& file) {
    static_cast<void>(rules::parse_rules(io::read_text_file(file), file.string()));
}

}  // namespace

std::vector<Kind> map_kinds() {
    GDALAllRegister();  // once, not in the process of every case
    return {{"itf", transfer(interlis::Format::interlis1), write_plainly, true},
            {"xtf", transfer(interlis::Format::interlis24), write_plainly, true},
            {"rules", read_rules, write_plainly, true}};
}

void write_map_seeds(const fs::path& folder) {
    for (const char* kind : {"itf", "xtf", "rules"}) fs::create_directories(folder / kind);
    write_plainly(folder / "itf" / "town.itf", interlis::test::to_text(interlis::test::town()));
    write_plainly(folder / "xtf" / "town.xtf", interlis::test::to_xtf(interlis::test::surfaces()));
    for (const char* name : {"osm", "swiss", "bgt", "alkis", "geoclimate"})
        write_plainly(folder / "rules" / text(name, ".ini"),
                      Bytes(rules::ready_rules(name).value()));
}

}  // namespace civitas::fuzz
