#include "page.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/base/version.hpp"
#include "civitas/report/bars.hpp"
#include "civitas/report/embedded.hpp"
#include "civitas/report/histogram.hpp"
#include "civitas/report/lines.hpp"
#include "civitas/report/page.hpp"
#include "picture.hpp"

#include <algorithm>

namespace civitas::map_report {
namespace {

using report::Section, report::Table;

constexpr std::size_t most_rows = 100;        // of a table or a chart of bars
constexpr std::size_t most_pictures = 12;     // of places
constexpr std::int64_t most_squares = 65536;  // of all pictures
constexpr std::size_t most_named = 3;         // inputs in a heading

std::int64_t sum(const std::array<std::int64_t, 2>& kept) { return kept[0] + kept[1]; }

/// The first few, and how many more there are.
std::string named(const std::vector<std::string>& names) {
    std::string all;
    for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i)
        all += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most_named) all += text(" and ", names.size() - most_named, " more");
    return all;
}

std::vector<std::string> names_of(const data::StoreHeader& header) {
    std::vector<std::string> names;
    for (const data::SourceFile& source : header.sources) names.push_back(printable(source.name));
    return names;
}

std::string size_of(const data::StoreHeader& header, const Ground& ground) {
    return text(header.tile_metres, " m x ", header.tile_metres, " m every ", ground.stride_metres,
                " m, ", header.pixels, " x ", header.pixels, " pixels of ",
                report::axis_text(header.tile_metres / static_cast<double>(header.pixels)), " m");
}

Section store_of(const data::StoreHeader& header, const Account& account) {
    Table facts{.head = {"property", "value"}, .rows = {}, .of_words = true};
    if (account.ground) {
        facts.rows.push_back({"tiles", size_of(header, *account.ground)});
        facts.rows.push_back({"coordinates", printable(account.system)});
    } else {
        facts.rows.push_back({"images", text(header.pixels, " x ", header.pixels, " pixels")});
    }
    facts.rows.push_back({"licence", printable_lines(header.licence)});
    facts.rows.push_back({"command", printable(header.command)});
    std::string said;
    for (const std::string& line : account.said)
        said += "<li>" + report::escaped(printable(line)) + "</li>\n";

    Table inputs{.head = {"input", "XXH3-128"}, .rows = {}, .of_words = true};
    for (const data::SourceFile& source : header.sources) {
        if (inputs.rows.size() == most_rows) {
            inputs.rows.push_back(
                {text(header.sources.size() - most_rows, " more"), "in /sources of the store"});
            break;
        }
        inputs.rows.push_back(
            {printable(source.name), source.hash.empty() ? "-" : printable(source.hash)});
    }
    return {"The store", "", to_html(facts) + "<ul>\n" + said + "</ul>\n" + to_html(inputs)};
}

/// The places with most tiles, in their order.
std::vector<Place> places_shown(const Ground& ground, std::size_t& others) {
    auto places = places_of(ground);
    others = places.size() - std::min(places.size(), most_pictures);
    if (others == 0) return places;
    std::vector<std::int64_t> sizes;
    for (const Place& place : places) sizes.push_back(place.tiles);
    std::nth_element(sizes.begin(), sizes.begin() + most_pictures - 1, sizes.end(),
                     std::greater<>());
    const auto least = sizes[most_pictures - 1];
    auto ties = std::count(sizes.begin(), sizes.begin() + most_pictures, least);
    std::erase_if(places, [&](const Place& place) {
        return place.tiles < least || (place.tiles == least && ties-- <= 0);
    });
    return places;
}

Section map_of(const Ground& ground, const std::vector<std::string>& names) {
    std::size_t others = 0;
    const auto places = places_shown(ground, others);
    std::string body = legend_of(ground);
    for (const Place& place : places) {
        std::vector<std::string> here;
        for (const auto source : place.sources) here.push_back(names.at(source));
        if (places.size() > 1) body += "<h3>" + report::escaped(named(here)) + "</h3>\n";
        body += picture_of(ground, place, most_squares / std::ssize(places));
    }
    if (others > 0)
        body += text("<p class=\"about\">", others,
                     " more places, of no more tiles than these, are not drawn.</p>\n");
    std::string about =
        "Each square is a tile, in the colour of what became of it: left out by "
        "the first question that it failed.";
    if (ground.tile_metres != ground.stride_metres)
        about += " Drawn is the stride around the middle of a tile.";
    return {"What became of the ground", about, body};
}

/// Tiles by their share of something, in per cent.
std::string shares_of(const Ground& ground, const char* title, float LookedAt::*share, double least,
                      const char* option) {
    constexpr std::size_t bins = 40;
    double most = least;
    for (const LookedAt& tile : ground.tiles)
        most = std::max(most, static_cast<double>(tile.*share));
    report::Histogram histogram{.x_name = "% of a tile",
                                .y_name = "tiles looked at",
                                .high = std::min(100.0, report::ticks(0, 100 * most, 6).back()),
                                .kinds = {"to train", "to test", "left out"},
                                .bins = {bins, std::vector<std::int64_t>(3)}};
    for (const LookedAt& tile : ground.tiles) {
        const double place = 100 * static_cast<double>(tile.*share) / histogram.high * bins;
        ++histogram.bins[std::min(static_cast<std::size_t>(place), bins - 1)]
                        [is_kept(tile.fate) ? static_cast<std::size_t>(tile.fate) : 2];
    }
    if (least > 0) {
        histogram.mark = 100 * least;
        histogram.mark_name = text(option, ' ', least);
    }
    return text("<div><h3>", title, "</h3>\n", to_html(histogram), "</div>\n");
}

Section shares_of(const Ground& ground) {
    return {"Shares of tiles",
            "Of the tiles looked at, buildings and roads being what they are burned as.",
            "<div class=\"two\">\n" +
                shares_of(ground, "Buildings", &LookedAt::building, ground.least_building,
                          "--min-building") +
                shares_of(ground, "Roads", &LookedAt::road, ground.least_road, "--min-road") +
                "</div>\n"};
}

/// `shown`: what stands there even when nothing of it is kept.
Section kept_of(const std::vector<std::string>& names, const Kept& kept,
                const std::vector<std::size_t>& shown, const char* title) {
    report::BarChart chart{.kinds = {"to train", "to test"}, .bars = {}};
    const auto add = [&](const std::string& name, const std::array<std::int64_t, 2>& tiles) {
        chart.bars.push_back(
            {.label = name,
             .parts = {static_cast<double>(tiles[0]), static_cast<double>(tiles[1])},
             .value = text(tiles[0], " + ", tiles[1])});
    };
    std::array<std::int64_t, 2> others{};
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (sum(kept[i]) == 0 && std::find(shown.begin(), shown.end(), i) == shown.end()) continue;
        if (chart.bars.size() < most_rows)
            add(names.at(i), kept[i]);
        else
            for (std::size_t split = 0; split < 2; ++split) others[split] += kept[i][split];
    }
    if (sum(others) > 0) add("all others", others);
    return {title, "", to_html(chart)};
}

Section left_out_of(const Account& account) {
    Table table{.head = {"how many", "of what"}, .rows = {}, .of_words = true};
    std::int64_t others = 0;
    for (const auto& [reason, count] : account.left_out) {
        if (count == 0) continue;
        if (table.rows.size() < 2 * most_rows)
            table.rows.push_back({std::to_string(count), printable(reason)});
        else
            others += count;
    }
    if (others > 0) table.rows.push_back({std::to_string(others), "for other reasons"});
    return {"Left out or mended",
            "As it was printed. In the store these are the attributes that begin with dropped.",
            table.rows.empty() ? "<p>Nothing.</p>\n" : to_html(table)};
}

}  // namespace

std::string to_page(const data::StoreHeader& header, const Account& account, const Kept& kept,
                    std::span<const std::byte> sheet_png) {
    const auto names = names_of(header);
    const bool labels = !header.label_names.empty();
    std::array<std::int64_t, 2> all{};
    for (const auto& tiles : kept) all = {all[0] + tiles[0], all[1] + tiles[1]};
    std::vector<std::string> classes;
    for (const std::string& name : header.label_names) classes.push_back(printable(name));

    std::vector<Section> sections{store_of(header, account)};
    if (account.ground) {
        sections.push_back(map_of(*account.ground, names));
        sections.push_back(shares_of(*account.ground));
    }
    sections.push_back(labels ? kept_of(classes, kept, {}, "Images by class")
                              : kept_of(names, kept, account.read, "Tiles by source"));
    sections.push_back(left_out_of(account));
    if (!sheet_png.empty())
        sections.push_back(
            {labels ? "Some images" : "Some tiles", "Evenly spread over the store, in its order.",
             "<div class=\"album\">" +
                 report::embedded("image/png", sheet_png, "sheet of some tiles") + "</div>\n"});
    return report::page({.title = (labels ? "Images of " : "Tiles of ") + named(names),
                         .subtitle = text(sum(all), labels ? " images: " : " tiles: ", all[0],
                                          " to train, ", all[1], " to test"),
                         .foot = text("Made by civitas-preprocess ", version(), ".")},
                        sections);
}

}  // namespace civitas::map_report
