#include "recognise.hpp"

#include "by_rules.hpp"
#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/base/text.hpp"
#include "crs.hpp"
#include "land_cover.hpp"
#include "selector.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace civitas::maps {
namespace {

using Names = std::vector<std::string>;
using Inputs = std::vector<std::vector<Candidate>>;

/// The first of the wanted fields that a layer has, spelt as the layer spells it; or empty.
std::string field_among(OGRLayer& layer, std::initializer_list<const char*> wanted) {
    const auto* fields = layer.GetLayerDefn();
    for (const auto* name : wanted) {
        const int i = fields->GetFieldIndex(name);
        if (i >= 0) return fields->GetFieldDefn(i)->GetNameRef();
    }
    return "";
}

/// The official text comes before the canton's number.
std::string land_cover_field(OGRLayer& layer) { return field_among(layer, {"art_txt", "art"}); }
std::string road_class_field(OGRLayer& layer) { return field_among(layer, {"highway", "fclass"}); }

bool may_hold_areas(OGRLayer& layer) {
    const auto type = wkbFlatten(layer.GetGeomType());
    return type == wkbUnknown || OGR_GT_IsSubClassOf(type, wkbSurface) != 0 ||
           OGR_GT_IsSubClassOf(type, wkbGeometryCollection) != 0;
}

/// Of several layers with the field only those named like land cover, never projected ones.
Names choose_land_cover(const Names& layers, std::vector<std::string>& notes) {
    const auto named = [](const std::string& name) {
        return contains_word(name, "lcsf") || contains_word(name, "boflaeche") ||
               contains_word(name, "bodenbedeckung");
    };
    const bool choose = layers.size() > 1 && std::any_of(layers.begin(), layers.end(), named);
    Names chosen;
    for (const auto& name : layers)
        if (contains_word(name, "proj") || (choose && !named(name)))
            notes.push_back(text("layer ", name,
                                 " has a field Art but is not land cover as built: "
                                 "left out"));
        else
            chosen.push_back(name);
    return chosen;
}

std::vector<Task> land_cover_tasks(const Candidate& candidate, GDALDataset& dataset,
                                   const std::string& model, std::vector<std::string>& notes) {
    Names layers;
    for (auto* layer : dataset.GetLayers())
        if (may_hold_areas(*layer) && !land_cover_field(*layer).empty())
            layers.emplace_back(layer->GetName());
    std::vector<Task> tasks;
    for (const auto& name : choose_land_cover(layers, notes)) {
        auto& layer = *dataset.GetLayerByName(name.c_str());
        tasks.push_back({candidate, name, Reading::land_cover, land_cover_field(layer), "",
                         own_crs_of(layer), 0, 1, model});
    }
    return tasks;
}

std::vector<Task> known_tasks(const Candidate& candidate, OpenMaps& maps,
                              std::vector<std::string>& notes, const Settings& settings) {
    const auto model = known_model_of(candidate, settings);
    auto& dataset = maps.get(candidate);
    if (is_openstreetmap(dataset))
        return {{candidate, "", Reading::osm, "", "", own_crs_of(*dataset.GetLayer(0)), 0}};
    return land_cover_tasks(candidate, dataset, model, notes);
}

/// For messages: what there is to choose from.
std::string list_layers(const std::vector<Candidate>& candidates, OpenMaps& maps) {
    constexpr std::size_t most_named = 10;
    std::size_t others = 0;
    std::set<std::string> names;
    for (const auto& candidate : candidates) {
        for (auto* layer : maps.get(candidate).GetLayers()) {
            const std::string name = layer->GetName();
            const bool both = candidates.size() > 1 && name != candidate.stem;
            const auto shown = both ? text(candidate.stem, " (", name, ")") : name;
            if (names.size() < most_named)
                names.insert(shown);
            else
                others += names.contains(shown) ? 0 : 1;
        }
    }
    if (names.empty()) return "none";
    return join(names, ", ") + (others == 0 ? "" : text(" and ", others, " more"));
}

/// The selector of the first layer that has a field, else of the first that has one of the words in
/// its name; empty if there is none.
std::string guess(const std::vector<Candidate>& candidates, OpenMaps& maps, const char* field,
                  std::initializer_list<const char*> words) {
    std::string by_name;
    for (const auto& candidate : candidates) {
        for (auto* layer : maps.get(candidate).GetLayers()) {
            const std::string name = layer->GetName();
            if (!field_among(*layer, {field}).empty())
                return text(name, ':', field, " IS NOT NULL");
            const bool speaks = std::any_of(words.begin(), words.end(), [&](const char* word) {
                return contains_word(name, word);
            });
            if (by_name.empty() && speaks) by_name = name;
        }
    }
    return by_name;
}

/// A command for layers whose names or fields speak; else how one looks.
Hint command_for(const std::vector<Candidate>& candidates, OpenMaps& maps,
                 const Settings& settings) {
    const auto buildings =
        guess(candidates, maps, "building", {"building", "gebaeude", "house", "batiment", "pand"});
    const auto roads =
        guess(candidates, maps, "highway", {"road", "street", "strasse", "highway", "wegdeel"});
    auto rules = rules_to_start_from(candidates, maps);
    if (!rules.empty())
        rules = "; or --layers FILE.ini, with rules as these to start from:\n" + rules;
    if (buildings.empty() || roads.empty())
        return Hint{"--buildings LAYER[:WHERE] --roads LAYER[:WHERE]" + rules};
    std::vector<std::string> words{"civitas-preprocess"};
    for (const auto& input : settings.inputs) words.push_back(shell_quoted(input));
    for (const auto& [option, value] :
         {std::pair{"--output", settings.output}, {"--buildings", buildings}, {"--roads", roads}}) {
        words.emplace_back(option);
        words.push_back(shell_quoted(value));
    }
    return Hint{join(words, " ") + rules};
}

std::vector<Task> recognise_input(const std::vector<Candidate>& candidates, OpenMaps& maps,
                                  std::vector<std::string>& notes, const Settings& settings) {
    std::vector<Task> tasks;
    for (const auto& candidate : candidates) {
        for (auto& task : known_tasks(candidate, maps, notes, settings))
            tasks.push_back(std::move(task));
    }
    if (tasks.empty())
        throw UsageError(text("no layer of ", candidates.front().label,
                              " is known as land cover "
                              "(a field Art) or OpenStreetMap; its layers: ",
                              list_layers(candidates, maps)),
                         command_for(candidates, maps, settings));
    return tasks;
}

/// Only the files that a selector names, if it names any: the others need not be opened.
std::vector<Candidate> worth_opening(const std::string& selector,
                                     const std::vector<Candidate>& candidates) {
    std::vector<Candidate> named;
    for (const auto& candidate : candidates)
        if (names_file(selector, candidate.stem)) named.push_back(candidate);
    return named.empty() ? candidates : named;
}

std::string list_fields(OGRLayer& layer) {
    constexpr std::size_t most_named = 10;
    std::vector<std::string> names;
    auto* fields = layer.GetLayerDefn();
    for (int i = 0; i < fields->GetFieldCount() && names.size() < most_named; ++i)
        names.emplace_back(fields->GetFieldDefn(i)->GetNameRef());
    return names.empty() ? "none" : join(names, ", ");
}

/// A field that the user names, other than the usual one, must be there.
void require_width_field(OGRLayer& layer, const Candidate& candidate, const std::string& field) {
    if (field == Settings{}.width_field || !field_among(layer, {field.c_str()}).empty()) return;
    throw UsageError(text("layer ", layer.GetName(), " of ", candidate.label, " has no field ",
                          field, "; its fields: ", list_fields(layer)),
                     Hint{"--road-width FIELD, or metres: --road-width 6"});
}

std::optional<Task> selected_task(const Candidate& candidate, OpenMaps& maps,
                                  const std::string& selector, Reading reading,
                                  const Settings& settings) {
    auto& dataset = maps.get(candidate);
    std::vector<LayerName> names;
    for (auto* layer : dataset.GetLayers()) names.push_back({layer->GetName(), candidate.stem});
    const auto selection = select_layer(selector, names);
    if (!selection) return std::nullopt;
    auto& layer = *dataset.GetLayer(static_cast<int>(selection->layer));
    const auto field = reading == Reading::roads ? road_class_field(layer) : "";
    if (reading == Reading::roads) require_width_field(layer, candidate, settings.width_field);
    return Task{candidate, layer.GetName(), reading, field, selection->where, own_crs_of(layer), 0};
}

std::vector<Task> select_tasks(const std::string& option, const std::string& selector,
                               Reading reading, const Inputs& inputs, OpenMaps& maps,
                               const Settings& settings) {
    std::vector<Task> tasks;
    std::vector<Candidate> all;
    for (const auto& candidates : inputs) {
        for (const auto& candidate : worth_opening(selector, candidates)) {
            auto task = selected_task(candidate, maps, selector, reading, settings);
            if (task) tasks.push_back(std::move(*task));
        }
        all.insert(all.end(), candidates.begin(), candidates.end());
    }
    if (tasks.empty())
        throw UsageError(
            text(option, " '", selector, "' names no layer; there are: ", list_layers(all, maps)),
            Hint{"LAYER or LAYER:WHERE, as in --buildings 'houses:floors > 0'"});
    return tasks;
}

/// An input that gives nothing would still stand among the sources of the store.
void require_task_of_each(const Inputs& inputs, const std::vector<Task>& tasks, OpenMaps& maps) {
    for (const auto& candidates : inputs) {
        const bool read = std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
            return task.dataset.input == candidates.front().input;
        });
        if (!read)
            throw UsageError(
                text("neither --buildings nor --roads names a layer of input ",
                     candidates.front().label, "; its layers: ", list_layers(candidates, maps)),
                Hint{"leave it out, or give --layers FILE.ini, whose rules take "
                     "layers of several names (layer = houses, maisons)"});
    }
}

}  // namespace

bool is_openstreetmap(GDALDataset& dataset) {
    return dataset.GetDriver() != nullptr && EQUAL(dataset.GetDriver()->GetDescription(), "OSM");
}

std::string known_model_of(const Candidate& candidate, const Settings& settings) {
    auto model = art_model_of(candidate, settings.skip_damaged);
    if (!model.empty() && !is_federal_model(model) && settings.art_model.empty())
        throw UsageError(text(candidate.label, " follows the model ", model,
                              ", whose numbers of land cover are not known here; those of the "
                              "federal model are (DM01AVCH, MD01MOCH, MD01MUCH)"),
                         Hint{"order it in the federal model; --art-model DM01AVCH if its numbers "
                              "are the federal ones, else --buildings 'BoFlaeche:Art = 0' --roads "
                              "'BoFlaeche:Art IN (1, 2, 3)' with the canton's own"});
    return model;
}

std::vector<Task> recognise(const Settings& settings, OpenMaps& maps, const RuleFile& rules,
                            std::vector<std::string>& notes) {
    Inputs inputs;
    for (std::size_t i = 0; i < settings.inputs.size(); ++i)
        inputs.push_back(find_datasets(settings.inputs[i], i));
    std::vector<Task> tasks;
    const auto keep = [&](std::vector<Task> more) {
        for (auto& task : more) tasks.push_back(std::move(task));
    };
    const bool selected = !settings.buildings.empty() || !settings.roads.empty();
    for (const auto& candidates : inputs) {
        if (!rules.name.empty())
            keep(tasks_by_rules(rules, candidates, maps, settings, notes));
        else if (!selected)
            keep(recognise_input(candidates, maps, notes, settings));
    }
    const auto select = [&](const char* option, const std::string& selector, Reading reading) {
        if (!selector.empty())
            keep(select_tasks(option, selector, reading, inputs, maps, settings));
    };
    select("--buildings", settings.buildings, Reading::buildings);
    select("--roads", settings.roads, Reading::roads);
    select("--outline", settings.outline, Reading::outline);
    require_task_of_each(inputs, tasks, maps);
    return tasks;
}

}  // namespace civitas::maps
