#include "reader.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace civitas::maps {
namespace {

constexpr std::int64_t features_per_report = 512;

/// What GDAL could not read of a task.
struct Damage {
    std::int64_t features = 0;
    bool broke_off = false;  ///< the number of those that follow is unknown
    std::string words;       ///< GDAL's first
};

void require_whole(const Task& task, const Damage& damage, MapContent& content, TaskCount& count,
                   bool skip) {
    if (damage.features == 0 && !damage.broke_off) return;
    count.unreadable = damage.features + (damage.broke_off ? 1 : 0);
    content.left_out["features that cannot be read"] += damage.features;
    const auto whole = count.features + damage.features;
    const auto what = damage.broke_off ? text("cannot read all of ", describe(task), ": after ",
                                              whole, " features it breaks off")
                                       : text("cannot read ", damage.features, " of ", whole,
                                              " features of ", describe(task));
    if (!skip)
        throw Error(text(what, ": ", damage.words),
                    Hint{"the file is damaged or cut short: fetch it again; --skip-damaged goes on "
                         "with what can be read"});
    content.warnings.push_back(what);
}

/// Hand all features that `next` gives to the reader; those that GDAL complains of are damaged.
template <class Next>
void read_all(FeatureReader& reader, Gdal& gdal, Damage& damage, Next&& next) {
    while (true) {
        CPLErrorReset();
        const OGRFeatureUniquePtr feature(next());
        const bool failed = CPLGetLastErrorType() >= CE_Failure;
        if (failed && damage.words.empty()) damage.words = gdal.last_words();
        if (!feature) {
            damage.broke_off = damage.broke_off || failed;
            return;
        }
        if (failed)
            ++damage.features;
        else
            reader.take(*feature);
    }
}

/// Sets the layer's condition. Some drivers only find out when they count that it is wrong, or that
/// the file is.
std::int64_t count_wanted(const Task& task, OGRLayer& layer, Gdal& gdal, Damage& damage) {
    static_cast<void>(gdal.take_messages());
    CPLErrorReset();
    if (task.where.empty()) {
        const auto count = layer.GetFeatureCount(TRUE);
        damage.broke_off = CPLGetLastErrorType() >= CE_Failure;
        if (damage.broke_off) damage.words = gdal.last_words();
        return count;
    }
    const bool taken = layer.SetAttributeFilter(task.where.c_str()) == OGRERR_NONE;
    const auto count = taken ? layer.GetFeatureCount(TRUE) : 0;
    if (!taken || CPLGetLastErrorType() >= CE_Failure)
        throw UsageError(text("layer ", task.layer, " does not understand '", task.where,
                              "': ", gdal.last_words()),
                         Hint{"conditions are SQL: \"function = 'road'\""});
    return count;
}

Damage read_layer(const Task& task, OGRLayer& layer, FeatureReader& reader, Gdal& gdal,
                  const Report& report) {
    Damage damage;
    const auto total = std::max<std::int64_t>(1, count_wanted(task, layer, gdal, damage));
    layer.ResetReading();
    std::int64_t done = 0;
    read_all(reader, gdal, damage, [&] {
        if (++done % features_per_report == 0)
            report(static_cast<double>(done) / static_cast<double>(total));
        return layer.GetNextFeature();
    });
    layer.SetAttributeFilter(nullptr);
    return damage;
}

/// OpenStreetMap's layers come interleaved from one pass over the file.
Damage read_interleaved(GDALDataset& dataset, FeatureReader& reader, Gdal& gdal,
                        const Report& report) {
    dataset.ResetReading();
    OGRLayer* of = nullptr;
    double share = 0;
    std::int64_t done = 0;
    Damage damage;
    read_all(reader, gdal, damage, [&] {
        if (++done % features_per_report == 0) report(share);
        return dataset.GetNextFeature(&of, &share, nullptr, nullptr);
    });
    // One damaged block holds many features.
    damage.broke_off = damage.broke_off || damage.features > 0;
    return damage;
}

Damage read_task(const Task& task, FeatureReader& reader, OpenMaps& maps, const Report& report) {
    auto& dataset = maps.get(task.dataset);
    if (task.layer.empty()) return read_interleaved(dataset, reader, maps.gdal(), report);
    auto* layer = dataset.GetLayerByName(task.layer.c_str());
    if (layer == nullptr) throw Error(text("layer ", task.layer, " has gone"));
    return read_layer(task, *layer, reader, maps.gdal(), report);
}

/// What was left out while a map was opened, told by the first of the tasks that read it.
void take_losses(const Plan& plan, std::size_t number, OpenMaps& maps, MapContent& content) {
    const auto& name = plan.tasks[number].dataset.name;
    const auto first = std::find_if(plan.tasks.begin(), plan.tasks.end(),
                                    [&](const Task& task) { return task.dataset.name == name; });
    if (&*first != &plan.tasks[number]) return;
    const auto& map = maps.open(first->dataset);
    for (const auto& [reason, count] : map.left_out) content.left_out[reason] += count;
    content.warnings.insert(content.warnings.end(), map.warnings.begin(), map.warnings.end());
}

}  // namespace

MapContent read_tasks(const Plan& plan, std::vector<std::size_t> tasks, const Settings& settings,
                      OpenMaps& maps, const Report& report) {
    MapContent content;
    content.counts.resize(plan.tasks.size());
    const auto map_of = [&](std::size_t task) {
        const auto& dataset = plan.tasks.at(task).dataset;
        return std::tie(dataset.input, dataset.name);
    };
    std::ranges::stable_sort(tasks, {}, map_of);  // so that no map is opened twice
    const auto total = static_cast<double>(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto& task = plan.tasks.at(tasks[i]);
        take_losses(plan, tasks[i], maps, content);
        FeatureReader reader(plan, tasks[i], settings, content);
        const auto damage = read_task(task, reader, maps, [&](double share) {
            report((static_cast<double>(i) + std::clamp(share, 0.0, 1.0)) / total);
        });
        report(static_cast<double>(i + 1) / total);
        require_whole(task, damage, content, content.counts[tasks[i]], settings.skip_damaged);
        for (const auto& message : maps.gdal().take_messages())
            content.warnings.push_back(text(task.dataset.label, ": ", message));
        if (i + 1 == tasks.size() || map_of(tasks[i + 1]) != map_of(tasks[i]))
            maps.drop(task.dataset);
    }
    return content;
}

}  // namespace civitas::maps
