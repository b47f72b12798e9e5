#pragma once
/// What the layers of a map are, in words: a file of rules, the first that fits a feature decides.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace civitas::rules {

enum class Kind {
    building,
    road,
    other,      ///< open ground
    ignore,     ///< nothing that is on the ground
    land_cover  ///< what the field says in the words of the Swiss official survey
};

/// Words compare whatever their case (of ASCII letters); `*` in a pattern stands for any
/// characters, `!` before it for all but those.
struct Rule {
    std::string name;                 ///< of its section
    std::vector<std::string> layers;  ///< patterns of the layer's name or its file's, without
                                      ///< ending; of a file to ignore the whole name
    std::vector<std::string>
        fields;  ///< the first that a layer has counts; empty: every feature fits
    std::vector<std::string> values;  ///< patterns of the field's value; empty: any
    Kind kind = Kind::other;
    std::optional<double> width;  ///< metres, of lines
    std::string width_field;      ///< that holds metres; empty: the usual
    std::vector<std::pair<std::string, double>> widths = {};  ///< metres by patterns of the value
};

/// The sections of a file of rules; a name that stands twice in a section goes on. `name`: of the
/// file, for messages. Throws UsageError that says the line: no section, an unknown name, a value
/// that is none, a rule without layer or class.
[[nodiscard]] std::vector<Rule> parse_rules(const std::string& text, const std::string& name);

[[nodiscard]] bool names_layer(const Rule& rule, std::string_view layer,
                               std::string_view file_stem);

/// True if the rule fits a feature of a layer that it names: a field that is not set fits none.
[[nodiscard]] bool fits(const Rule& rule, const std::optional<std::string>& value);

/// Metres of a line whose field has this value, if the rule says them.
[[nodiscard]] std::optional<double> width_of(const Rule& rule, std::string_view value);

/// The text of rules that come with the program: osm, swiss, bgt, alkis, geoclimate.
[[nodiscard]] std::optional<std::string_view> ready_rules(std::string_view name);
/// "osm, swiss, bgt, alkis or geoclimate".
[[nodiscard]] std::string names_of_ready_rules();

/// A layer as it was found, with its first fields.
struct FoundLayer {
    std::string name;
    std::vector<std::string> fields;
};
/// A file of rules to start from: one for each layer, with a guess at its class by its name. Empty
/// where there are no layers.
[[nodiscard]] std::string rules_to_start_from(const std::vector<FoundLayer>& layers);

}  // namespace civitas::rules
