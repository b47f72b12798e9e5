#include "command_line.hpp"

#include "civitas/base/error.hpp"

#include <boost/program_options.hpp>

namespace civitas::cli {
namespace {

namespace po = boost::program_options;

po::options_description describe(const std::vector<Entry>& entries) {
    po::options_description described;
    for (const auto& entry : entries)
        described.add_options()(entry.name.c_str(), po::value<std::string>());
    return described;
}

/// `--x` becomes `--x=true`: Boost's implicit values would take the next word. `-h` is `--help`.
std::vector<std::string> spell_out_switches(std::vector<std::string> words,
                                            const std::vector<Entry>& entries) {
    for (auto& word : words) {
        if (word == "--") break;
        if (word == "-h") word = "--help";
        for (const auto& entry : entries)
            if (entry.is_switch && word == "--" + entry.name) word = "--" + entry.name + "=true";
    }
    return words;
}

po::parsed_options parse(const std::vector<std::string>& words,
                         const po::options_description& described) {
    using namespace po::command_line_style;
    return po::command_line_parser(words)
        .options(described)
        .style(allow_long | long_allow_adjacent | long_allow_next)
        .allow_unregistered()
        .run();
}

/// Boost takes the next word as a value even when it looks like an option: `--net --batch 3`.
bool took_an_option(const po::option& option) {
    const auto& tokens = option.original_tokens;
    return option.position_key < 0 && tokens.size() == 2 && tokens[1].size() > 2 &&
           tokens[1].starts_with("--");
}

/// `--mesh "$MESH"` of a script in which the variable is not set; a file may say `mesh =`.
bool is_empty(const po::option& option) {
    return option.position_key < 0 && !option.value.empty() && option.value.front().empty();
}

UsageError value_missing(const std::string& name) {
    return UsageError("--" + name + " needs a value", Hint{"--" + name + "=VALUE"});
}

}  // namespace

std::vector<Mention> read_command_line(const std::vector<std::string>& words,
                                       const std::vector<Entry>& entries) {
    const auto described = describe(entries);
    std::vector<Mention> mentions;
    try {
        for (const auto& option : parse(spell_out_switches(words, entries), described).options) {
            if (took_an_option(option)) throw value_missing(option.string_key);
            if (is_empty(option))
                throw UsageError(text("--", option.string_key, " is given, but empty"),
                                 Hint{text("--", option.string_key, "=VALUE, or without it")});
            mentions.push_back({option.position_key < 0 ? option.string_key : "",
                                option.value.empty() ? "" : option.value.front(), ""});
        }
    } catch (const po::error_with_option_name& bad) {
        throw value_missing(bad.get_option_name().substr(2));
    }
    return mentions;
}

}  // namespace civitas::cli
