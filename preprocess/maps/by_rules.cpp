#include "by_rules.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/cli/options.hpp"
#include "crs.hpp"
#include "recognise.hpp"

#include <algorithm>

namespace civitas::maps {
namespace {

/// The first of the rule's fields that a layer has, as the layer spells it; empty if there is none.
std::string field_of(const rules::Rule& rule, OGRLayer& layer) {
    const auto* fields = layer.GetLayerDefn();
    for (const auto& name : rule.fields) {
        const int i = fields->GetFieldIndex(name.c_str());
        if (i >= 0) return fields->GetFieldDefn(i)->GetNameRef();
    }
    return "";
}

std::optional<Task> task_of(OGRLayer& layer, const Candidate& candidate,
                            const std::vector<rules::Rule>& all, std::vector<std::string>& notes) {
    for (const auto& rule : all) {
        if (!names_layer(rule, layer.GetName(), candidate.stem)) continue;
        const auto field = field_of(rule, layer);
        if (!rule.fields.empty() && field.empty()) {
            notes.push_back(text("rule [", rule.name, "] names layer ", layer.GetName(),
                                 ", which has no field ", join(rule.fields, ", "),
                                 ": passed over"));
            continue;
        }
        if (rule.fields.empty() &&
            (rule.kind == rules::Kind::ignore || rule.kind == rules::Kind::other)) {
            notes.push_back(
                text("layer ", layer.GetName(), " is left out by rule [", rule.name, "]"));
            return std::nullopt;
        }
        const bool land_cover = rule.kind == rules::Kind::land_cover;
        return Task{candidate,
                    layer.GetName(),
                    land_cover ? Reading::land_cover : Reading::rules,
                    land_cover ? field : "",
                    "",
                    own_crs_of(layer),
                    0};
    }
    return std::nullopt;
}

/// Only the files that a rule names, if any is named by its own name: a zip may hold many. Those to
/// ignore do not count: that one is does not say that the others are.
std::vector<Candidate> worth_opening(const std::vector<rules::Rule>& all,
                                     const std::vector<Candidate>& candidates) {
    std::vector<Candidate> named;
    for (const auto& candidate : candidates)
        if (std::any_of(all.begin(), all.end(), [&](const rules::Rule& rule) {
                return rule.kind != rules::Kind::ignore &&
                       names_layer(rule, candidate.stem, candidate.stem);
            }))
            named.push_back(candidate);
    return named.empty() ? candidates : named;
}

std::vector<rules::FoundLayer> found_layers(const std::vector<Candidate>& candidates,
                                            OpenMaps& maps) {
    constexpr std::size_t most_layers = 8;
    constexpr int most_fields = 10;
    std::vector<rules::FoundLayer> found;
    for (const auto& candidate : candidates) {
        for (auto* layer : maps.get(candidate).GetLayers()) {
            if (found.size() == most_layers) return found;
            found.push_back({layer->GetName(), {}});
            auto* fields = layer->GetLayerDefn();
            for (int i = 0; i < std::min(fields->GetFieldCount(), most_fields); ++i)
                found.back().fields.emplace_back(fields->GetFieldDefn(i)->GetNameRef());
        }
    }
    return found;
}

}  // namespace

bool are_in_file(const std::string& layers) {
    return !layers.empty() && !rules::ready_rules(layers);
}

RuleFile load_rules(const std::string& layers) {
    if (const auto ready = rules::ready_rules(layers)) return {layers, std::string(*ready)};
    auto words = cli::read_file(layers);
    if (!words)
        throw UsageError(
            text("--layers ", layers, ": there is no such file"),
            Hint{text("--layers FILE.ini, or the ready rules ", rules::names_of_ready_rules())});
    return {layers, std::move(*words)};
}

std::vector<Task> tasks_by_rules(const RuleFile& rules, const std::vector<Candidate>& candidates,
                                 OpenMaps& maps, const Settings& settings,
                                 std::vector<std::string>& notes) {
    const auto all = rules::parse_rules(rules.text, rules.name);
    std::vector<Task> tasks;
    for (const auto& candidate : worth_opening(all, candidates)) {
        auto& dataset = maps.get(candidate);
        if (is_openstreetmap(dataset)) {
            tasks.push_back(
                {candidate, "", Reading::rules, "", "", own_crs_of(*dataset.GetLayer(0)), 0});
            continue;
        }
        for (auto* layer : dataset.GetLayers()) {
            auto task = task_of(*layer, candidate, all, notes);
            if (!task) continue;
            const bool by_art = task->reading == Reading::land_cover;
            task->art_model = by_art ? known_model_of(candidate, settings)
                                     : art_model_of(candidate, settings.skip_damaged);
            tasks.push_back(std::move(*task));
        }
    }
    if (tasks.empty())
        throw UsageError(text("no rule of --layers ", rules.name, " names a layer of ",
                              candidates.front().label, " whose field it has"),
                         Hint{text("rules to start from, in a FILE.ini for --layers:\n",
                                   rules_to_start_from(candidates, maps))});
    return tasks;
}

std::string rules_to_start_from(const std::vector<Candidate>& candidates, OpenMaps& maps) {
    return rules::rules_to_start_from(found_layers(candidates, maps));
}

}  // namespace civitas::maps
