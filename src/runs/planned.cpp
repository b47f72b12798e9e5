#include "civitas/runs/planned.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"

#include <nlohmann/json.hpp>

namespace civitas::runs {

std::string to_json(const Planned& p) {
    const nlohmann::ordered_json object{
        {"program", p.program},      {"ranks", p.ranks},         {"mesh", p.mesh},
        {"schedule", p.schedule},    {"threads", p.threads},     {"instructions", p.instructions},
        {"step_seconds", p.seconds}, {"bubble_share", p.bubble}, {"rank_bytes", p.bytes},
        {"tiles", p.tiles}};
    return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::optional<Planned> read_planned(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return std::nullopt;
    try {
        const auto o = nlohmann::json::parse(io::read_text_file(file));
        return Planned{o.at("program"),      o.at("ranks"),        o.at("mesh"),
                       o.at("schedule"),     o.at("threads"),      o.at("instructions"),
                       o.at("step_seconds"), o.at("bubble_share"), o.at("rank_bytes"),
                       o.at("tiles")};
    } catch (const nlohmann::json::exception&) {
        throw Error(text(file, " is no plan of a run"),
                    Hint{"remove it: the next start of the run writes it"});
    }
}

}  // namespace civitas::runs
