#include "review.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>

namespace civitas::maps {
namespace {

void add(TaskCount& sum, const TaskCount& more) {
    sum.features += more.features;
    sum.lines += more.lines;
    sum.buildings += more.buildings;
    sum.roads += more.roads;
    sum.road_lines += more.road_lines;
    sum.other += more.other;
    sum.with_width += more.with_width;
    sum.astray += more.astray;
    sum.unreadable += more.unreadable;
}

TaskCount sum_of(const Plan& plan, const std::vector<TaskCount>& counts,
                 std::optional<Reading> reading) {
    TaskCount sum;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (!reading || plan.tasks[i].reading == *reading) add(sum, counts[i]);
    return sum;
}

/// 14 035: three digits together.
std::string grouped(std::int64_t number) {
    auto digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), " ");
    return digits;
}

/// The first task read so, or none.
const Task* first(const Plan& plan, Reading reading) {
    const auto found = std::find_if(plan.tasks.begin(), plan.tasks.end(),
                                    [&](const Task& task) { return task.reading == reading; });
    return found == plan.tasks.end() ? nullptr : &*found;
}

void require_features(const char* option, const std::string& selector, Reading reading,
                      const Plan& plan, const std::vector<TaskCount>& counts) {
    const auto* task = first(plan, reading);
    const auto sum = sum_of(plan, counts, reading);
    if (task == nullptr || sum.features + sum.unreadable > 0) return;
    throw UsageError(text(option, " '", selector, "' matches no feature of ", describe(*task)),
                     Hint{task->where.empty()
                              ? text("ogrinfo ", name_for_gdal(task->dataset), " lists the layers")
                              : text("ogrinfo -al -geom=NO ", name_for_gdal(task->dataset), ' ',
                                     shell_quoted(task->layer), " shows the values")});
}

void require_areas(const Settings& settings, const Plan& plan,
                   const std::vector<TaskCount>& counts) {
    const auto buildings = sum_of(plan, counts, Reading::buildings);
    const auto roads = sum_of(plan, counts, Reading::roads);
    if (buildings.lines == 0 || buildings.lines < buildings.features) return;
    const bool swapped = roads.features > 0 && roads.lines == 0;
    throw UsageError(
        text("--buildings '", settings.buildings, "' names ", grouped(buildings.lines),
             " lines, and buildings are areas", swapped ? "; --roads names areas" : ""),
        Hint{swapped ? text("--buildings ", shell_quoted(settings.roads), " --roads ",
                            shell_quoted(settings.buildings))
                     : "--buildings takes a layer of polygons"});
}

/// A field that the user names, other than the usual one.
void require_width_field(const Settings& settings, const Plan& plan,
                         const std::vector<TaskCount>& counts) {
    if (settings.width_field == Settings{}.width_field) return;
    if (sum_of(plan, counts, std::nullopt).with_width > 0) return;
    throw UsageError(
        text("--road-width ", settings.width_field, ": no road that was read has such a field"),
        Hint{text("ogrinfo -al -so ", name_for_gdal(plan.tasks.front().dataset),
                  " lists the fields; metres are a number: --road-width 7.5")});
}

void require_on_ground(const Settings& settings, const Plan& plan,
                       const std::vector<TaskCount>& counts) {
    const auto sum = sum_of(plan, counts, std::nullopt);
    const auto used = sum.buildings + sum.roads + sum.other;
    if (sum.astray <= used) return;
    const auto target = parse_crs(plan.target_crs);
    const auto& task = plan.tasks.front();
    if (settings.crs.empty() && why_not_metric(parse_crs(task.crs)))
        throw Error(
            text("the map is too wide for one zone: ", grouped(sum.astray), " of ",
                 grouped(sum.astray + used), " features lie outside the ground that ",
                 name_of(target), ", that of its middle, is for (", describe_use(target), ")"),
            Hint{text("--crs names a system for all of the country; ogr2ogr -spat WEST "
                      "SOUTH EAST NORTH part.gpkg ",
                      name_for_gdal(task.dataset), " takes a part of it")});
    throw Error(text(grouped(sum.astray), " of ", grouped(sum.astray + used),
                     " features lie outside the ground that ", name_of(target), " is for (",
                     describe_use(target), "): the map is in another system than ",
                     name_of(parse_crs(task.crs)), ", or --crs is for another country"),
                Hint{hint_of_true_system(parse_crs(task.crs), name_for_gdal(task.dataset)).text +
                     "; without --crs the map's own system is taken"});
}

void require_known_land_cover(const Plan& plan, const std::vector<TaskCount>& counts,
                              const Tally& left_out) {
    constexpr std::size_t most_named = 8;
    const auto* task = first(plan, Reading::land_cover);
    const auto sum = sum_of(plan, counts, std::nullopt);
    if (task == nullptr || sum.buildings + sum.roads > 0) return;
    std::vector<std::pair<std::int64_t, std::string>> unknown;
    const std::string prefix = unknown_land_cover;
    for (const auto& [reason, count] : left_out)
        if (reason.starts_with(prefix))
            unknown.emplace_back(-count, "'" + reason.substr(prefix.size()));
    if (unknown.empty()) return;
    std::sort(unknown.begin(), unknown.end());
    if (unknown.size() > most_named) unknown.resize(most_named);
    std::vector<std::string> named;
    for (const auto& [count, name] : unknown) named.push_back(text(name, " (", -count, ")"));
    throw Error(text("no land cover of ", describe(*task), " is a building or a road; its field ",
                     task->field, " holds words that are not known: ", join(named, ", ")),
                Hint{text("--buildings \"", task->layer, ':', task->field, " = 'NAME'\" --roads \"",
                          task->layer, ':', task->field, " IN ('NAME', ...)\"")});
}

}  // namespace

std::vector<TaskCount> total(const comm::Communicator& ranks, const std::vector<TaskCount>& mine) {
    const auto all = ranks.all_gather(std::span<const TaskCount>(mine));
    std::vector<TaskCount> sums(mine.size());
    for (std::size_t i = 0; i < all.size(); ++i) add(sums[i % mine.size()], all[i]);
    return sums;
}

std::string what_was_read(const Settings& settings, const Plan& plan,
                          const std::vector<TaskCount>& counts) {
    const auto sum = sum_of(plan, counts, std::nullopt);
    const bool by_class = first(plan, Reading::osm) != nullptr || !plan.rules.name.empty();
    std::string lines;
    if (sum.road_lines > 0)
        lines =
            text(" (", sum.road_lines == sum.roads ? "" : grouped(sum.road_lines) + " ", "lines, ",
                 by_class ? "as wide as their class" : text(settings.road_width, " m"), " unless ",
                 settings.width_field, " says)");
    return text("read ", grouped(sum.buildings), " buildings, ", grouped(sum.roads), " roads",
                lines);
}

void require_meant(const Settings& settings, const Plan& plan, const std::vector<TaskCount>& counts,
                   const Tally& left_out) {
    require_features("--buildings", settings.buildings, Reading::buildings, plan, counts);
    require_features("--roads", settings.roads, Reading::roads, plan, counts);
    require_features("--outline", settings.outline, Reading::outline, plan, counts);
    require_areas(settings, plan, counts);
    require_width_field(settings, plan, counts);
    require_on_ground(settings, plan, counts);
    require_known_land_cover(plan, counts, left_out);
}

}  // namespace civitas::maps
