#include "features.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "ending.hpp"
#include "land_cover.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <limits>

namespace civitas::maps {
namespace {

constexpr std::int64_t most_features_named = 3;  // features of a task
constexpr std::size_t longest_word = 100;        // that is told whole, in bytes

/// When an object ended, in the words of the Dutch BGT, of its GML, of INSPIRE and of ALKIS.
constexpr std::array fields_of_end{"eindRegistratie", "terminationDate", "objectEindTijd",
                                   "endLifespanVersion", "endet"};

std::optional<std::string> field_text(const OGRFeature& feature, const char* name) {
    const int i = feature.GetFieldIndex(name);
    if (i < 0 || !feature.IsFieldSetAndNotNull(i)) return std::nullopt;
    return feature.GetFieldAsString(i);
}

Tags tags_of(const OGRFeature& feature) {
    return [&feature](std::string_view key) -> std::optional<std::string> {
        if (auto own = field_text(feature, std::string(key).c_str())) return own;
        const auto others = field_text(feature, "other_tags");
        return others ? other_tag(*others, key) : std::nullopt;
    };
}

/// The first geometry that is more than a label's place.
const OGRGeometry* main_geometry(const OGRFeature& feature) {
    const OGRGeometry* any = nullptr;
    for (int i = 0; i < feature.GetGeomFieldCount(); ++i) {
        const auto* geometry = feature.GetGeomFieldRef(i);
        if (geometry == nullptr) continue;
        if (geometry->getDimension() > 0) return geometry;
        any = geometry;
    }
    return any;
}

bool is_line(const OGRGeometry* geometry) {
    return geometry != nullptr && geometry->getDimension() == 1;
}

std::string extent_of(const OGRGeometry& geometry) {
    OGREnvelope box;
    geometry.getEnvelope(&box);
    return text("reaches from ", std::setprecision(10), box.MinX, ", ", box.MinY, " to ", box.MaxX,
                ", ", box.MaxY);
}

RoadRule rule_of(const Task& task, const Settings& settings) {
    RoadRule rule;
    rule.width_field = settings.width_field;
    if (task.reading != Reading::roads) return rule;
    rule.class_field = task.field;
    rule.otherwise = settings.road_width;
    return rule;
}

}  // namespace

FeatureReader::FeatureReader(const Plan& plan, std::size_t task, const Settings& settings,
                             MapContent& content)
    : task_(plan.tasks.at(task)),
      settings_(settings),
      model_(settings.art_model.empty() ? task_.art_model : settings.art_model),
      federal_(is_federal_model(model_)),
      rule_(rule_of(task_, settings)),
      day_(plan.day),
      content_(content),
      left_out_(content.left_out),
      count_(content.counts.at(task)),
      maker_(parse_crs(task_.crs), parse_crs(plan.target_crs), content.shapes, content.left_out) {
    const auto number = [](std::size_t n) {
        return static_cast<std::uint16_t>(
            std::min<std::size_t>(n, std::numeric_limits<std::uint16_t>::max()));
    };
    if (task_.reading == Reading::rules)
        for (auto& rule : rules::parse_rules(plan.rules.text, plan.rules.name))
            if (task_.layer.empty() || names_layer(rule, task_.layer, task_.dataset.stem))
                rules_.push_back(std::move(rule));
    purport_.origin = {number(task_.source), number(task), -1};
}

void FeatureReader::take(const OGRFeature& feature) {
    ++count_.features;
    if (is_line(main_geometry(feature))) ++count_.lines;
    if (task_.reading != Reading::osm && has_ended(feature)) {
        ++left_out_["objects that have ended"];
        return;
    }
    switch (task_.reading) {
        case Reading::land_cover: return take_land_cover(feature, task_.field);
        case Reading::osm: return take_osm(feature);
        case Reading::buildings: return take_building(feature);
        case Reading::roads: return take_road(feature, rule_);
        case Reading::rules: return take_by_rules(feature);
        case Reading::outline: return add(feature, LandClass::other, 0, true);
    }
}

void FeatureReader::add(const OGRFeature& feature, LandClass value, double line_width,
                        bool closed_is_area) {
    auto purport = purport_;
    purport.value = value;
    purport.line_width = line_width;
    purport.closed_is_area = closed_is_area;
    purport.origin.feature = feature.GetFID();
    const auto* geometry = main_geometry(feature);
    switch (maker_.add(geometry, purport)) {
        case Outcome::used: return count(value, is_line(geometry));
        case Outcome::tangled: return name(feature, "crosses itself too often to be mended");
        case Outcome::astray:
            ++count_.astray;
            return name(feature, text(extent_of(*geometry), ", outside the ground that ",
                                      name_of(parse_crs(task_.crs)), " is for"));
        case Outcome::useless: return;
    }
}

void FeatureReader::count(LandClass value, bool line) {
    switch (value) {
        case LandClass::building: ++count_.buildings; return;
        case LandClass::road:
            ++count_.roads;
            count_.road_lines += line ? 1 : 0;
            return;
        case LandClass::other: ++count_.other; return;
    }
}

void FeatureReader::name(const OGRFeature& feature, const std::string& why) {
    if (++named_ > most_features_named) return;
    content_.warnings.push_back(
        text("left out: feature ", feature.GetFID(), " of ", describe(task_), ' ', why));
}

bool FeatureReader::has_ended(const OGRFeature& feature) const {
    return std::any_of(fields_of_end.begin(), fields_of_end.end(), [&](const char* field) {
        if (contains_word(task_.where, field)) return false;
        const auto when = field_text(feature, field);
        return when && has_come(*when, day_);
    });
}

void FeatureReader::add_other(const OGRFeature& feature) {
    if (!settings_.keep_edge && settings_.outline.empty()) add(feature, LandClass::other, 0);
}

void FeatureReader::take_land_cover(const OGRFeature& feature, const std::string& field) {
    const auto art = field_text(feature, field.c_str());
    if (!art || art->empty()) {
        ++left_out_["areas without land cover"];
        return add_other(feature);
    }
    const auto number = land_cover_number(*art);
    const auto known = number ? class_of_number(*number) : land_class_of_name(*art);
    if (!known) {
        const auto word = std::string_view(*art).substr(0, longest_word);
        ++left_out_[unknown_land_cover + printable(word) + "'"];
        add_other(feature);
    } else if (*known == LandClass::other) {
        add_other(feature);
    } else {
        add(feature, *known, 0);
    }
}

std::optional<LandClass> FeatureReader::class_of_number(int number) const {
    if (federal_) {
        const auto known = land_class_of_number(number);
        if (known) return known;
    }
    throw UsageError(
        text(task_.dataset.label, ": land cover ", number, " (field ", task_.field,
             ") means one thing in the federal model and others in cantonal ones; ",
             model_.empty() ? "no model is given" : "model " + model_ + " is not known to have it"),
        Hint{"--art-model DM01AVCH if the file follows the federal model, else --buildings "
             "'LAYER:Art = 0' --roads 'LAYER:Art IN (1, 2, 3)'"});
}

void FeatureReader::take_osm(const OGRFeature& feature) {
    const auto tags = tags_of(feature);
    const auto* geometry = feature.GetGeometryRef();
    const bool area = geometry != nullptr && geometry->getDimension() == 2;
    if (area && is_building(tags))
        add(feature, LandClass::building, 0);
    else if (tags("highway") && (area || is_line(geometry)))
        take_road(feature, rule_);
}

void FeatureReader::take_building(const OGRFeature& feature) {
    if (is_below_ground(tags_of(feature)))
        ++left_out_["buildings below ground"];
    else
        add(feature, LandClass::building, 0);
}

void FeatureReader::take_road(const OGRFeature& feature, const RoadRule& rule) {
    const auto tags = tags_of(feature);
    const auto& field = settings_.width_field;
    if (feature.GetFieldIndex(field.c_str()) >= 0 || tags(field)) ++count_.with_width;
    const auto road = road_of(tags, rule);
    if (road.kind != RoadKind::road) {
        ++left_out_["roads below ground or of no built kind"];
        return;
    }
    if (is_line(main_geometry(feature))) {
        if (road.class_unknown) ++left_out_["roads of unknown class, of default width"];
        if (road.width_unread) ++left_out_["roads whose width is none in metres, taken as usual"];
    }
    add(feature, LandClass::road, road.metres, is_road_area(tags, rule));
}

/// The rule's field and its value are those of the feature.
bool FeatureReader::fits(const rules::Rule& rule, const OGRFeature& feature, const Tags& tags,
                         std::string& field, std::string& value) const {
    // An extract of OpenStreetMap is one task of several layers.
    if (task_.layer.empty() &&
        !names_layer(rule, feature.GetDefnRef()->GetName(), task_.dataset.stem))
        return false;
    std::optional<std::string> found;
    for (const auto& name : rule.fields) {
        found = tags(name);
        field = name;
        if (found) break;
    }
    value = found.value_or("");
    return rules::fits(rule, found);
}

void FeatureReader::take_by_rules(const OGRFeature& feature) {
    const auto tags = tags_of(feature);
    const auto* geometry = main_geometry(feature);
    const bool line = is_line(geometry),
               point = geometry != nullptr && geometry->getDimension() == 0;
    std::string field, value;
    for (const auto& rule : rules_) {
        if (point || !fits(rule, feature, tags, field, value)) continue;
        switch (rule.kind) {
            case rules::Kind::building:
                if (line) continue;  // and buildings are areas
                return take_building(feature);
            case rules::Kind::road:
                return take_road(
                    feature,
                    {"", rule.width_field.empty() ? settings_.width_field : rule.width_field,
                     width_of(rule, value).value_or(settings_.road_width)});
            case rules::Kind::other: return;
            case rules::Kind::ignore: ++left_out_["features that a rule ignores"]; return;
            case rules::Kind::land_cover: return take_land_cover(feature, field);
        }
    }
    ++left_out_["features that no rule fits"];
}

}  // namespace civitas::maps
