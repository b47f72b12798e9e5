#include "picture.hpp"

#include "civitas/base/text.hpp"
#include "civitas/report/frame.hpp"
#include "civitas/report/lines.hpp"
#include "civitas/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace civitas::map_report {
namespace {

constexpr double most_elongated = 3;     // sides of a picture, one to the other
constexpr double fewest_squares = 6;     // a side of a picture has room for
constexpr std::int64_t most_lines = 50;  // between squares: more would hide them
constexpr double most_width = 62, most_height = 36, beside = 5.1;  // of a picture, in rem

using Counts = std::array<std::int64_t, number_of_fates>;
constexpr std::uint8_t nothing = number_of_fates;

/// Squares of some cells a side over a place.
struct Squares {
    std::int64_t cells = 1;  ///< a side of each
    std::int64_t columns = 0, rows = 0;
    std::vector<std::uint8_t> fates;  ///< of each, row by row; `nothing` where none was looked at

    [[nodiscard]] std::size_t at(std::int64_t column, std::int64_t row) const {
        return static_cast<std::size_t>(row * columns + column);
    }
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Squares squares_over(const Place& place, std::int64_t most) {
    Squares squares;
    do {
        squares.columns = ceil_div(place.columns.count, squares.cells);
        squares.rows = ceil_div(place.rows.count, squares.cells);
    } while (squares.columns * squares.rows > most && ++squares.cells);
    return squares;
}

/// Calls `visit` with the tiles of a place and their cells, counted within it.
template <class Visit>
void each_tile(const Ground& ground, const Place& place, Visit&& visit) {
    for (std::size_t i = 0; i < ground.tiles.size(); ++i)
        if (std::binary_search(place.sources.begin(), place.sources.end(), ground.tiles[i].source))
            visit(ground.tiles[i], ground.cells[i] % ground.columns.count - place.columns.begin,
                  ground.cells[i] / ground.columns.count - place.rows.begin);
}

/// What most tiles of each square are.
Squares coloured(const Ground& ground, const Place& place, std::int64_t most) {
    Squares squares = squares_over(place, most);
    std::vector<Counts> votes(static_cast<std::size_t>(squares.columns * squares.rows));
    each_tile(ground, place, [&](const LookedAt& tile, std::int64_t column, std::int64_t row) {
        ++votes[squares.at(column / squares.cells, row / squares.cells)]
               [static_cast<std::size_t>(tile.fate)];
    });
    for (const Counts& of : votes) {
        const auto first = std::max_element(of.begin(), of.end());
        squares.fates.push_back(*first == 0 ? nothing
                                            : static_cast<std::uint8_t>(first - of.begin()));
    }
    return squares;
}

/// The squares of a fate as a path of SVG, those of a row that touch as one rectangle.
std::string path_of(const Squares& squares, std::uint8_t fate) {
    std::ostringstream out;
    for (std::int64_t row = 0; row < squares.rows; ++row)
        for (std::int64_t column = 0; column < squares.columns; ++column) {
            if (squares.fates[squares.at(column, row)] != fate) continue;
            const auto begin = column;
            while (column < squares.columns && squares.fates[squares.at(column, row)] == fate)
                ++column;
            out << 'M' << begin << ' ' << row << 'h' << column - begin << "v1h" << begin - column
                << 'z';
        }
    return out.str();
}

/// The part of the plane that is drawn, in squares: the place in its middle.
struct Window {
    double x, y, width, height;
};

Window window_over(const Squares& squares) {
    const auto columns = static_cast<double>(squares.columns) + 1;
    const auto rows = static_cast<double>(squares.rows) + 1;
    const double width = std::max({columns, fewest_squares, rows / most_elongated});
    const double height = std::max({rows, fewest_squares, columns / most_elongated});
    return {(columns - 1 - width) / 2, (rows - 1 - height) / 2, width, height};
}

/// The largest of 1, 2, 5, 10, ... that is no more.
double round_below(double length) {
    const double power = std::pow(10, std::floor(std::log10(length)));
    return power * (length >= 5 * power ? 5 : length >= 2 * power ? 2 : 1);
}

/// Kilometres from `low` to `high`, in as many digits as tell them apart.
report::Axis axis(std::string name, double low, double high) {
    report::Axis axis{std::move(name), {}};
    const auto places = report::ticks(low, high, 4);
    const double step = places[1] - places[0];
    const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    for (const double place : places)
        if (place >= low && place <= high)
            axis.ticks.push_back({(place - low) / (high - low), fixed(place, decimals)});
    return axis;
}

Counts counts_in(const Ground& ground, const Place& place) {
    Counts counts{};
    each_tile(ground, place, [&](const LookedAt& tile, std::int64_t, std::int64_t) {
        ++counts[static_cast<std::size_t>(tile.fate)];
    });
    return counts;
}

/// "tiles to train: 12" and so on.
std::string words_of(const Ground& ground, const Counts& counts, std::size_t fate) {
    return report::escaped(ground.names[fate] + ": " + std::to_string(counts[fate]));
}

std::string drawing(const Ground& ground, const Place& place, const Squares& squares,
                    const Window& window) {
    const Counts counts = counts_in(ground, place);
    std::ostringstream words, paths, out;
    for (std::size_t fate = 0; fate < number_of_fates; ++fate) {
        if (counts[fate] == 0) continue;
        const std::string of = words_of(ground, counts, fate);
        words << "; " << of;
        paths << "<path class=\"f" << fate << "\" d=\""
              << path_of(squares, static_cast<std::uint8_t>(fate)) << "\"><title>" << of
              << "</title></path>\n";
    }
    out << "<svg class=\"map\" viewBox=\"" << window.x << ' ' << window.y << ' ' << window.width
        << ' ' << window.height << R"(" role="img" aria-label="map of tiles)" << words.str()
        << "\">\n"
        << paths.str();
    if (std::max(squares.columns, squares.rows) <= most_lines) {
        out << "<path class=\"between\" d=\"";
        for (std::int64_t i = 0; i <= squares.columns; ++i)
            out << 'M' << i << " 0v" << squares.rows;
        for (std::int64_t i = 0; i <= squares.rows; ++i)
            out << "M0 " << i << 'h' << squares.columns;
        out << "\"/>";
    }
    out << "</svg>\n";
    return out.str();
}

std::string scale_bar(double metres_across) {
    const double length = round_below(metres_across / 4);
    std::ostringstream out;
    out << "<div class=\"chart scale\"><i style=\"width:" << fixed(100 * length / metres_across, 2)
        << "%\"></i><span>" << (length < 1000 ? length : length / 1000)
        << (length < 1000 ? " m" : " km") << ", north is up</span></div>\n";
    return out.str();
}

}  // namespace

std::string picture_of(const Ground& ground, const Place& place, std::int64_t most_squares) {
    const Squares squares = coloured(ground, place, most_squares);
    const Window window = window_over(squares);
    const double side = static_cast<double>(squares.cells) * ground.stride_metres;
    const double inset = (ground.tile_metres - ground.stride_metres) / 2;
    const auto corner = [&](Range of_grid, Range of_place) {
        return static_cast<double>(of_grid.begin + of_place.begin) * ground.stride_metres + inset;
    };
    const double west = corner(ground.columns, place.columns) + window.x * side;
    const double north = -corner(ground.rows, place.rows) - window.y * side;
    const double east = west + window.width * side, south = north - window.height * side;
    const double width = beside + std::min(most_width, most_height * window.width / window.height);

    std::string about;
    if (squares.cells > 1)
        about = "<p class=\"about\">A square stands for " + std::to_string(squares.cells) + " x " +
                std::to_string(squares.cells) + " tiles, in the colour of most of them.</p>\n";
    return about + "<div class=\"ground\" style=\"max-width:" + fixed(width, 1) + "rem\">\n" +
           report::framed(drawing(ground, place, squares, window),
                          axis("easting, km", west / 1000, east / 1000),
                          axis("northing, km", south / 1000, north / 1000)) +
           scale_bar(east - west) + "</div>\n";
}

std::string legend_of(const Ground& ground) {
    Counts counts{};
    for (const LookedAt& tile : ground.tiles) ++counts[static_cast<std::size_t>(tile.fate)];
    std::ostringstream out;
    out << "<p class=\"legend lines\">";
    for (std::size_t fate = 0; fate < number_of_fates; ++fate)
        if (counts[fate] > 0)
            out << "<span class=\"key\"><i class=\"f" << fate << "\"></i>"
                << words_of(ground, counts, fate) << "</span>\n";
    const auto others = ground.columns.count * ground.rows.count - std::ssize(ground.tiles);
    if (others > 0)
        out << R"(<span class="key"><i class="unseen"></i>)"
            << report::escaped(ground.never_looked_at) << ": " << others << "</span>\n";
    out << "</p>\n";
    return out.str();
}

}  // namespace civitas::map_report
