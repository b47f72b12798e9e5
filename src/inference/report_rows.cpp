#include "report_rows.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/inference/report_output.hpp"

#include <cmath>

namespace civitas::inference {
namespace {

void add_rows(std::vector<SetRow>& rows, const quality::SoftOrStored& of, const std::string& prefix,
              const std::string& kind) {
    const auto add = [&](const std::string& key, const std::string& name,
                         const quality::OfSets& values) {
        rows.push_back({prefix + key, name + ", " + kind, values.set, values.test});
    };
    add("building", "buildings", of.building);
    add("road", "roads", of.road);
    add("difference", "difference of two", of.difference);
    rows.push_back({prefix + "distance", "sliced Wasserstein, " + kind, of.sliced.mean, {}});
    for (const auto& level : of.sliced.levels)
        rows.push_back({text(prefix, "distance_", level.pixels),
                        text("  at ", level.pixels, " pixels"),
                        level.distance,
                        {}});
}

}  // namespace

std::vector<SetRow> set_rows(const quality::Report& report) {
    std::vector<SetRow> rows;
    add_rows(rows, report.soft, "", "soft");
    add_rows(rows, report.stored, "stored_", "stored");
    const auto& cover = report.cover;
    const auto many = [](std::int64_t count) { return static_cast<double>(count); };
    rows.push_back(
        {"cover_building", "buildings, soft, of many", cover.building.set, cover.building.test});
    rows.push_back({"cover_road", "roads, soft, of many", cover.road.set, cover.road.test});
    rows.push_back({"cover_count",
                    "  plans and tiles",
                    {many(cover.plans), many(cover.train), many(cover.test)},
                    many(cover.test)});
    const auto& m = report.mmd;
    rows.push_back(
        {"mmd", "MMD, squared", {m.plans.squared, m.train.squared, m.noise.squared}, {}});
    rows.push_back({"mmd_p", "  its p", {m.plans.p, m.train.p, m.noise.p}, {}});
    if (report.seams) {
        const auto& [building, road] = *report.seams;
        rows.push_back({"seam_building", "buildings over borders", building.set, building.test});
        rows.push_back({"seam_road", "roads over borders", road.set, road.test});
    }
    return rows;
}

std::string likeness_in_words(const quality::Likeness& likeness) {
    std::string words = text("Sliced Wasserstein distances of ", likeness.count,
                             " plans asked to be like a town, and of as many of its training "
                             "tiles, to as many test tiles of each town.");
    if (likeness.left_out > 0)
        words += text(" Towns that are not compared: ", likeness.left_out, ".");
    return words;
}

std::string figure_text(double value) {
    if (!std::isfinite(value)) return "-";
    const double size = std::abs(value);
    const bool is_count = size >= 10 && value == std::round(value);
    return fixed(value, size >= 1000 || is_count ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

std::string subject_in_words(const quality::Report& report) {
    return text(report.count, " plans beside as many test and training tiles, ", report.pixels,
                " pixels of ", fixed(report.pixel_metres, 2), " m a side");
}

}  // namespace civitas::inference
