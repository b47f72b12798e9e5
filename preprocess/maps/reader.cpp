#include "preprocess/maps/reader.hpp"

#include "civitas/base/error.hpp"
#include "preprocess/maps/land_cover.hpp"
#include "preprocess/maps/osm.hpp"
#include "preprocess/maps/words.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace civitas::maps {
namespace {

using data::LandClass;

constexpr std::int64_t features_per_report = 512;

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

/// One task at work: decides what each feature is and hands it on.
class TaskReader {
public:
    TaskReader(const Plan& plan, const Task& task, const Settings& settings, MapContent& content)
        : task_(task),
          settings_(settings),
          left_out_(content.left_out),
          maker_(parse_crs(task.crs), parse_crs(plan.target_crs), content.shapes,
                 content.left_out) {
        purport_.source = static_cast<std::uint16_t>(
            std::min<std::size_t>(task.source, std::numeric_limits<std::uint16_t>::max()));
    }

    void take(const OGRFeature& feature) {
        switch (task_.reading) {
            case Reading::land_cover: return take_land_cover(feature);
            case Reading::osm: return take_osm(feature);
            case Reading::buildings: return add(feature, LandClass::building, 0);
            case Reading::roads: return take_road(feature);
        }
    }

private:
    void add(const OGRFeature& feature, LandClass value, double line_width,
             bool closed_is_area = false) {
        auto purport = purport_;
        purport.value = value;
        purport.line_width = line_width;
        purport.closed_is_area = closed_is_area;
        maker_.add(main_geometry(feature), purport);
    }

    /// The first geometry that is more than a label's place.
    static const OGRGeometry* main_geometry(const OGRFeature& feature) {
        const OGRGeometry* any = nullptr;
        for (int i = 0; i < feature.GetGeomFieldCount(); ++i) {
            const auto* geometry = feature.GetGeomFieldRef(i);
            if (geometry == nullptr) continue;
            if (geometry->getDimension() > 0) return geometry;
            any = geometry;
        }
        return any;
    }

    void take_land_cover(const OGRFeature& feature) {
        const auto art = field_text(feature, task_.field.c_str());
        if (!art || art->empty()) {
            ++left_out_["areas without land cover"];
            return;
        }
        const auto number = land_cover_number(*art);
        const auto known = number ? class_of_number(*number) : land_class_of_name(*art);
        if (!known) {
            ++left_out_["land cover '" + *art + "' unknown, taken as other"];
        } else if (*known != LandClass::other) {
            add(feature, *known, 0);
        }
    }

    [[nodiscard]] std::optional<LandClass> class_of_number(int number) const {
        if (is_federal_model(settings_.art_model)) {
            const auto known = land_class_of_number(number);
            if (known) return known;
        }
        const auto model =
            settings_.art_model.empty() ? std::string("no model is given") : settings_.art_model;
        throw UsageError(
            text(task_.dataset.label, ": land cover ", number, " (field ", task_.field,
                 ") means one thing in the federal model and others in cantonal ones; ",
                 settings_.art_model.empty() ? "no model is given"
                                             : "model " + model + " is not known to have it"),
            Hint{"--art-model DM01AVCH if the file follows the federal model, else --buildings "
                 "'LAYER:Art = 0' --roads 'LAYER:Art IN (1, 2, 3)'"});
    }

    void take_osm(const OGRFeature& feature) {
        const auto tags = tags_of(feature);
        const auto* geometry = feature.GetGeometryRef();
        const bool area = geometry != nullptr && geometry->getDimension() == 2;
        if (area && is_building(tags)) {
            add(feature, LandClass::building, 0);
        } else if (const auto width = road_width(tags)) {
            add(feature, LandClass::road, *width, is_road_area(tags));
        } else if (tags("highway") && !area && geometry != nullptr &&
                   geometry->getDimension() == 1) {
            ++left_out_["highways below ground or of no built kind"];
        }
    }

    void take_road(const OGRFeature& feature) {
        double width = settings_.road_width;
        if (!task_.field.empty()) {
            const auto name = field_text(feature, task_.field.c_str());
            const auto of_class = name ? highway_width(*name) : std::nullopt;
            if (!of_class) ++left_out_["roads of unknown class, of default width"];
            width = of_class.value_or(width);
        }
        add(feature, LandClass::road, width);
    }

    const Task& task_;
    const Settings& settings_;
    Tally& left_out_;
    Purport purport_;
    ShapeMaker maker_;
};

/// Hand all features that `next` gives to the reader; a map that breaks off is an error.
template <class Next>
void read_all(const Task& task, TaskReader& reader, Gdal& gdal, Next&& next) {
    while (true) {
        CPLErrorReset();
        const OGRFeatureUniquePtr feature(next());
        if (!feature) break;
        reader.take(*feature);
    }
    if (CPLGetLastErrorType() >= CE_Failure)
        throw Error(text("cannot read all of ", task.dataset.label, ": ", gdal.last_words()),
                    Hint{"the file may be damaged or cut short"});
}

/// Sets the layer's condition. Some drivers only find out that it is wrong when they count.
std::int64_t count_wanted(const Task& task, OGRLayer& layer, Gdal& gdal) {
    static_cast<void>(gdal.take_messages());
    if (task.where.empty()) return layer.GetFeatureCount(TRUE);
    CPLErrorReset();
    const bool taken = layer.SetAttributeFilter(task.where.c_str()) == OGRERR_NONE;
    const auto count = taken ? layer.GetFeatureCount(TRUE) : 0;
    if (!taken || CPLGetLastErrorType() >= CE_Failure)
        throw UsageError(text("layer ", task.layer, " does not understand '", task.where,
                              "': ", gdal.last_words()),
                         Hint{"conditions are SQL: \"function = 'road'\""});
    return count;
}

void read_layer(const Task& task, OGRLayer& layer, TaskReader& reader, Gdal& gdal,
                const Report& report) {
    const auto total = std::max<std::int64_t>(1, count_wanted(task, layer, gdal));
    layer.ResetReading();
    std::int64_t done = 0;
    read_all(task, reader, gdal, [&] {
        if (++done % features_per_report == 0)
            report(static_cast<double>(done) / static_cast<double>(total));
        return layer.GetNextFeature();
    });
    layer.SetAttributeFilter(nullptr);
}

/// OpenStreetMap's layers come interleaved from one pass over the file.
void read_interleaved(const Task& task, GDALDataset& dataset, TaskReader& reader, Gdal& gdal,
                      const Report& report) {
    dataset.ResetReading();
    OGRLayer* of = nullptr;
    double share = 0;
    std::int64_t done = 0;
    read_all(task, reader, gdal, [&] {
        if (++done % features_per_report == 0) report(share);
        return dataset.GetNextFeature(&of, &share, nullptr, nullptr);
    });
}

void read_task(const Task& task, TaskReader& reader, OpenMaps& maps, const Report& report) {
    auto& dataset = maps.get(task.dataset);
    if (task.reading == Reading::osm)
        return read_interleaved(task, dataset, reader, maps.gdal(), report);
    auto* layer = dataset.GetLayerByName(task.layer.c_str());
    if (layer == nullptr) throw Error(text("layer ", task.layer, " has gone"));
    read_layer(task, *layer, reader, maps.gdal(), report);
}

}  // namespace

MapContent read_tasks(const Plan& plan, const std::vector<std::size_t>& tasks,
                      const Settings& settings, OpenMaps& maps, const Report& report) {
    MapContent content;
    const auto total = static_cast<double>(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto& task = plan.tasks.at(tasks[i]);
        TaskReader reader(plan, task, settings, content);
        read_task(task, reader, maps, [&](double share) {
            report((static_cast<double>(i) + std::clamp(share, 0.0, 1.0)) / total);
        });
        report(static_cast<double>(i + 1) / total);
        maps.drop_surplus();
        for (const auto& message : maps.gdal().take_messages())
            content.warnings.push_back(text(task.dataset.label, ": ", message));
    }
    return content;
}

}  // namespace civitas::maps
