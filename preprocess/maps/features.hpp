#pragma once
/// What the features of a layer are: buildings, roads, other ground, or nothing here.
#include "geometry.hpp"
#include "osm.hpp"
#include "plan.hpp"

namespace civitas::maps {

/// What came of the features of one task.
struct TaskCount {
    std::int64_t features = 0;  ///< that the layer gave
    std::int64_t lines = 0;     ///< whose geometry is a line
    std::int64_t buildings = 0, roads = 0, road_lines = 0, other = 0;
    std::int64_t with_width = 0;  ///< roads that have the field of widths
    std::int64_t astray = 0;      ///< see Outcome
    std::int64_t unreadable = 0;  ///< counted in no other field
};

/// Shapes of one rank, and what it met on the way to them.
struct MapContent {
    Shapes shapes;
    Tally left_out;
    std::vector<TaskCount> counts;      ///< by task, of the whole plan
    std::vector<std::string> warnings;  ///< what GDAL had to say; features that are named
};

/// Decides what each feature of a task is and hands it on.
class FeatureReader {
public:
    FeatureReader(const Plan& plan, std::size_t task, const Settings& settings,
                  MapContent& content);
    void take(const OGRFeature& feature);

private:
    void add(const OGRFeature& feature, LandClass value, double line_width,
             bool closed_is_area = false);
    void count(LandClass value, bool line);
    /// In a warning, the first few of a task.
    void name(const OGRFeature& feature, const std::string& why);
    /// Only where it tells how far the map goes.
    void add_other(const OGRFeature& feature);
    void take_land_cover(const OGRFeature& feature, const std::string& field);
    void take_by_rules(const OGRFeature& feature);
    [[nodiscard]] bool fits(const rules::Rule& rule, const OGRFeature& feature, const Tags& tags,
                            std::string& field, std::string& value) const;
    [[nodiscard]] std::optional<LandClass> class_of_number(int number) const;
    void take_osm(const OGRFeature& feature);
    void take_building(const OGRFeature& feature);
    void take_road(const OGRFeature& feature, const RoadRule& rule);
    /// By a field that says when, before the day of the plan.
    [[nodiscard]] bool has_ended(const OGRFeature& feature) const;

    const Task& task_;
    const Settings& settings_;
    std::string model_;  ///< of numbers of land cover; empty: none is known
    bool federal_;       ///< that model is
    RoadRule rule_;
    std::chrono::sys_days day_;       ///< before which an object that ended is gone
    std::vector<rules::Rule> rules_;  ///< that name the task's layer; all for OpenStreetMap
    MapContent& content_;
    Tally& left_out_;
    TaskCount& count_;
    std::int64_t named_ = 0;
    Purport purport_;
    ShapeMaker maker_;
};

}  // namespace civitas::maps
