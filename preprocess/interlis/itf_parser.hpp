#pragma once
/// Reads an INTERLIS 1 transfer line by line.
#include "survey.hpp"
#include "transfer_file.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace civitas::interlis {

/// A row of the table of land cover.
struct Row {
    std::string tid;
    std::int64_t line = 0;
    linework::Point place;           ///< inside the area
    std::optional<std::string> art;  ///< digits
};

struct Transfer {
    std::string model;             ///< of the last topic
    std::string land_cover_model;  ///< of the tables of land cover; empty while none was met
    std::string table;             ///< of land cover; empty while none was met
    std::set<std::string> topics;
    std::vector<Row> rows;
    linework::Lines boundaries;
    std::int64_t projected = 0;
    std::int64_t damaged = 0;
    std::string broke_off;  ///< see Survey
};

class Parser {
public:
    Parser(FileName file, Reading reading);
    /// Takes the next line; false at the end of the transfer. Throws Error, with the line, where
    /// the file is damaged, and at the end when there is no land cover.
    [[nodiscard]] bool step();
    [[nodiscard]] const Transfer& transfer() const { return transfer_; }

private:
    enum class Table { none, rows, boundaries, projected, other };
    using Words = std::vector<std::string_view>;

    [[nodiscard]] bool next_line();
    void refuse_unless_borne(const std::string& what) const;
    void break_off(const std::string& what);
    void take(const Words& words);
    void take_in_table(const Words& words);
    void begin_table(std::string_view name);
    void begin_land_cover();
    void take_row(const Words& words);
    void take_vertex(const Words& words);
    void begin_line(linework::Point point);
    void end_line();
    void finish();
    void drop_line();

    FileName file_;
    bool bear_damage_;
    LineReader lines_;
    std::string line_;
    std::optional<std::string> following_;  ///< what comes behind it, where that is read already
    Transfer transfer_;
    linework::Arcs arcs_;
    Table table_ = Table::none;
    bool begun_ = false, in_header_ = false, ended_ = false;
    bool open_ = false;                       ///< a boundary is
    bool skipping_ = false;                   ///< what is left of a damaged one
    std::size_t first_ = 0;                   ///< of its points
    std::optional<linework::Point> through_;  ///< point of an arc whose end follows
};

}  // namespace civitas::interlis
