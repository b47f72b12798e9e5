#include "plan.hpp"

#include "by_rules.hpp"
#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/base/printable.hpp"
#include "connection.hpp"
#include "crs.hpp"
#include "middle.hpp"
#include "recognise.hpp"
#include "words.hpp"

#include <cpl_string.h>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace civitas::maps {
namespace {

/// What the other layers of the same input are in, if they agree.
std::string crs_of_siblings(const Task& task, const std::vector<Task>& tasks) {
    std::set<std::string> systems;
    for (const auto& other : tasks)
        if (other.dataset.input == task.dataset.input && !other.crs.empty())
            systems.insert(other.crs);
    return systems.size() == 1 ? *systems.begin() : "";
}

/// True if all numbers of a layer are degrees, as they would be of a few metres.
bool looks_like_degrees(const Task& task, OpenMaps& maps) {
    OGREnvelope box;
    auto* layer = maps.get(task.dataset).GetLayerByName(task.layer.c_str());
    const bool known = layer != nullptr && layer->GetExtent(&box, TRUE) == OGRERR_NONE;
    const bool empty = box.MinX == box.MaxX && box.MinY == box.MaxY;  // as Shapefiles say it
    return known && !empty && box.MinX >= -180 && box.MaxX <= 180 && box.MinY >= -90 &&
           box.MaxY <= 90;
}

void settle_unknown_systems(Plan& plan, const Settings& settings, OpenMaps& maps) {
    const auto known = plan.tasks;
    for (auto& task : plan.tasks) {
        if (!task.crs.empty()) continue;
        task.crs = crs_of_siblings(task, known);
        if (task.crs.empty() && looks_like_degrees(task, maps))
            throw Error(text(describe(task),
                             " has no coordinate reference system, and its numbers "
                             "look like degrees"),
                        Hint{text("ogr2ogr -a_srs EPSG:4326 mended.gpkg ",
                                  name_for_gdal(task.dataset), " says that they are")});
        if (task.crs.empty() && !settings.crs.empty())
            task.crs = wkt_of(parse_metric_crs(settings.crs));
        if (task.crs.empty())
            throw Error(text(describe(task), " has no coordinate reference system"),
                        Hint{"--crs EPSG:2056 says what its coordinates are in"});
        plan.notes.push_back(text(describe(task), " does not say its coordinate system: taken as ",
                                  name_of(parse_crs(task.crs))));
    }
}

OGRSpatialReference choose_target(const Plan& plan, const Settings& settings, OpenMaps& maps) {
    if (!settings.crs.empty()) return parse_metric_crs(settings.crs);
    for (const auto& task : plan.tasks) {
        auto crs = parse_crs(task.crs);
        if (!why_not_metric(crs)) return crs;
        const auto middle = middle_of(task, maps);
        if (!middle) continue;  // it is empty
        if (degrees_of(crs, *middle)) return utm_zone(crs, *middle);
        throw Error(text(describe(task), " has coordinates such as (", middle->x, ", ", middle->y,
                         "), which are not on Earth in ", name_of(crs)),
                    hint_of_true_system(crs, name_for_gdal(task.dataset)));
    }
    throw Error(text(describe(plan.tasks.front()), " does not say where it is"),
                Hint{"--crs names the system to cut tiles in"});
}

void note_reprojections(Plan& plan, const OGRSpatialReference& target) {
    std::set<std::string> told;
    for (const auto& task : plan.tasks) {
        const auto crs = parse_crs(task.crs);
        if (crs.IsSame(&target) != 0 || !told.insert(name_of(crs)).second) continue;
        const auto why = why_not_metric(crs);
        plan.notes.push_back(text(name_of(crs), why ? " " + *why : std::string(),
                                  ": reprojected to ", name_of(target), "; --crs chooses another"));
    }
}

/// The same words for the same system, whichever file it came from.
std::string canonical_wkt(const OGRSpatialReference& crs) {
    OGRSpatialReference by_number;
    const bool known = epsg(crs) != 0 && by_number.importFromEPSG(epsg(crs)) == OGRERR_NONE;
    return wkt_of(known ? by_number : crs);
}

/// By their real paths. Two maps of one folder may share what lies beside them.
void require_once(const std::vector<std::string>& inputs) {
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        auto files = files_of(inputs[i]);
        if (driver_of_connection(inputs[i]) != nullptr) files = {inputs[i]};
        for (const auto& file : files)
            if (seen.emplace(std::filesystem::weakly_canonical(file), i).first->second != i)
                throw UsageError(text(without_secrets(file.string()), " is given twice"),
                                 Hint{"leave one of them out"});
    }
}

/// Every file of every input, and which of them a task reads.
void list_sources(Plan& plan, const std::vector<std::string>& inputs) {
    std::map<std::string, std::size_t> rows;
    std::vector<std::filesystem::path> files;
    std::vector<std::size_t> row_of;
    for (const auto& input : inputs) {
        if (driver_of_connection(input) != nullptr) {
            rows.emplace(input, plan.sources.size());
            plan.sources.push_back({without_secrets(input), no_hash});
            plan.paths.push_back(input);
        }
        for (auto& file : files_of(input)) {
            if (CPLIsUTF8(file.c_str(), -1) == 0)  // Ranks and stores are told names as UTF-8.
                throw Error(text("the name of ", printable(file.string()), " is no UTF-8"),
                            Hint{"rename it"});
            rows.emplace(file.string(), plan.sources.size());
            row_of.push_back(plan.sources.size());
            plan.sources.push_back({"", hash_file(file)});
            plan.paths.push_back(file.string());
            files.push_back(std::move(file));
        }
    }
    const auto names = short_names(files);
    for (std::size_t i = 0; i < names.size(); ++i) plan.sources[row_of[i]].name = names[i];
    for (auto& task : plan.tasks) {
        task.source = rows.at(task.dataset.file);
        task.files = files_of(task.dataset.file).size();
    }
}

[[noreturn]] void refuse_other_file(const std::string& file, const std::string& difference) {
    throw Error(
        text(file, " is not the file that rank 0 sees: ", difference),
        Hint{"each rank reads maps by itself: put them where all nodes see the same files"});
}

}  // namespace

std::string describe(const Task& task) {
    return task.layer.empty() ? task.dataset.label
                              : text("layer ", task.layer, " of ", task.dataset.label);
}

Plan make_plan(const Settings& settings, OpenMaps& maps) {
    Plan plan;
    plan.day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    if (!settings.layers.empty()) plan.rules = load_rules(settings.layers);
    plan.tasks = recognise(settings, maps, plan.rules, plan.notes);
    require_once(settings.inputs);
    settle_unknown_systems(plan, settings, maps);
    const auto target = choose_target(plan, settings, maps);
    note_reprojections(plan, target);
    plan.target_crs = canonical_wkt(target);
    list_sources(plan, settings.inputs);
    return plan;
}

void require_same_files(const Plan& plan, const std::vector<std::size_t>& tasks) {
    std::set<std::string> seen;
    for (const auto number : tasks) {
        const auto& task = plan.tasks.at(number);
        if (!seen.insert(task.dataset.file).second) continue;
        std::set<std::string> here;
        for (const auto& file : files_of(task.dataset.file)) here.insert(file.string());
        for (auto i = task.source; i < task.source + task.files; ++i) {
            const auto& file = plan.paths.at(i);
            if (!std::filesystem::exists(file)) refuse_other_file(file, "it is missing here");
            const auto hash = hash_file(file);
            if (hash != plan.sources.at(i).hash)
                refuse_other_file(
                    file, text("its hash is ", hash, " here, ", plan.sources.at(i).hash, " there"));
            here.erase(file);
        }
        if (!here.empty()) refuse_other_file(*here.begin(), "it is missing there");
    }
}

std::vector<std::size_t> sources_read(const Plan& plan) {
    std::set<std::size_t> read;
    for (const auto& task : plan.tasks) read.insert(static_cast<std::size_t>(task.source));
    return {read.begin(), read.end()};
}

std::string to_text(const Plan& plan) {
    auto tasks = nlohmann::json::array();
    for (const auto& t : plan.tasks)
        tasks.push_back({t.dataset.name, t.dataset.label, t.dataset.stem, t.dataset.input,
                         t.dataset.file, t.layer, t.reading, t.field, t.where, t.crs, t.source,
                         t.files, t.art_model});
    auto sources = nlohmann::json::array();
    for (const auto& source : plan.sources) sources.push_back({source.name, source.hash});
    const nlohmann::json all{{"tasks", tasks},
                             {"crs", plan.target_crs},
                             {"notes", plan.notes},
                             {"sources", sources},
                             {"paths", plan.paths},
                             {"rules", {plan.rules.name, plan.rules.text}},
                             {"day", plan.day.time_since_epoch().count()}};
    return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Plan plan_from_text(const std::string& words) {
    const auto all = nlohmann::json::parse(words);
    Plan plan{{},
              all.at("crs"),
              all.at("notes"),
              {},
              all.at("paths"),
              {all.at("rules").at(0), all.at("rules").at(1)},
              std::chrono::sys_days(std::chrono::days(all.at("day").get<int>()))};
    for (const auto& s : all.at("sources")) plan.sources.push_back({s.at(0), s.at(1)});
    for (const auto& t : all.at("tasks"))
        plan.tasks.push_back({{t.at(0), t.at(1), t.at(2), t.at(3), t.at(4)},
                              t.at(5),
                              t.at(6).get<Reading>(),
                              t.at(7),
                              t.at(8),
                              t.at(9),
                              t.at(10),
                              t.at(11),
                              t.at(12)});
    return plan;
}

}  // namespace civitas::maps
