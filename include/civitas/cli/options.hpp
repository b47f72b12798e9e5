#pragma once
/// Options of a program: declared once next to a plain struct, read from the command line and from
/// an INI file (`--config`), printed as help and as a resolved INI. Wraps Boost.Program_options.
#include "civitas/base/error.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace civitas::cli {

/// How a program was asked for help: print and end with code 0.
struct HelpRequested {
    std::string text;
};

/// The text of a file that options name; nothing where there is none, or a folder.
using ReadFile = std::function<std::optional<std::string>(const std::filesystem::path&)>;
/// Reads a file that options name from this rank's own disk; nothing where there is none, or a
/// folder. Throws UsageError for one that cannot be read, or is larger than any text that options
/// name.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& file);

/// Whether a value switches an option on: `true`, `on`, `yes` or `1`.
[[nodiscard]] bool is_yes(std::string_view value);

class Options {
public:
    /// Options of a program without any yet. `usage`: the first lines of --help. `program` as
    /// typed: "civitas train".
    Options(std::string program, std::string usage);
    Options(const Options&) = delete;
    Options(Options&&) noexcept;
    Options& operator=(const Options&) = delete;
    Options& operator=(Options&&) = delete;
    ~Options();

    /// The options that follow stand under this heading in --help.
    Options& section(const std::string& heading);
    /// Declares an option with a default (the target's value when this is called), shown in --help
    /// and in the resolved INI. T: bool (a switch: `--x`, `--x=false`, `x = true` in an INI), int,
    /// std::int64_t, double, std::uint64_t, std::string, std::vector<std::int64_t> (comma
    /// separated), std::vector<std::string> (may be repeated). The target outlives this object.
    template <class T>
    Options& add(const std::string& name, T& target, const std::string& help);
    /// Takes the words without a dash. In an INI, and as `--name word`, they go by their name.
    Options& positional(const std::string& name, std::vector<std::string>& target,
                        const std::string& help);
    /// The option must be given, on the command line or in the file.
    Options& required(const std::string& name);

    /// The option is a word for this start alone: a file may hold it, resolved() leaves it out.
    Options& once(const std::string& name);
    /// Two ways to say the same: where the command line gives one of them, the file's value of the
    /// other is left out.
    Options& alternatives(const std::string& one, const std::string& other);
    /// The option counts beside the other one alone: parse() refuses it without.
    Options& goes_with(const std::string& name, const std::string& other);

    /// Gives an option a value before parse(), which leaves out what the command line and the file
    /// say of it. Throws UsageError for a bad value.
    Options& preset(const std::string& name, const std::string& value);

    /// Reads the command line first; then the file that `--config` names fills what it left. Throws
    /// UsageError (unknown option with the nearest name, bad value with what was expected, option
    /// given twice, missing required option) or HelpRequested. `--help` and `--config` are always
    /// known. A name must be spelled out.
    void parse(int argc, const char* const* argv, const ReadFile& read = read_file);
    /// Every option but those said once with its resolved value, as `name = value` lines that
    /// --config reads back.
    [[nodiscard]] std::string resolved() const;
    /// True when the command line or the file gave a value.
    [[nodiscard]] bool given(const std::string& name) const;
    /// True when the file gave it, and not the command line.
    [[nodiscard]] bool given_by_file(const std::string& name) const;
    /// True when that value is not the default.
    [[nodiscard]] bool changed(const std::string& name) const;
    /// The file that --config named; empty when there is none.
    [[nodiscard]] const std::string& file() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace civitas::cli
