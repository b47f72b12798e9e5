#pragma once
/// One option with its target's type forgotten.
#include "values.hpp"

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace civitas::cli {

struct Entry {
    std::string section;
    std::string name;
    std::string help;
    Spelling spelling;
    bool is_switch = false;
    bool repeatable = false;
    bool positional = false;
    bool required = false;
    bool once = false;
    bool given = false;
    bool by_file = false;     ///< the file gave it
    std::string alternative;  ///< the option that says the same in another way, if any
    std::string goes_with;    ///< the option without which this one does nothing, if any
    /// False when the words do not spell a value. One word, unless the option is repeatable.
    std::function<bool(const std::vector<std::string>&)> set;
    /// The value now; several words (or none) only for a repeatable option.
    std::function<std::vector<std::string>()> show;
    std::vector<std::string> usual;  ///< the default
    /// True when a value was given that is not the default.
    [[nodiscard]] bool changed() const { return given && show() != usual; }
};

template <class T>
Entry make_entry(T& target) {
    Entry entry;
    entry.spelling = spelling(target);
    entry.is_switch = std::is_same_v<T, bool>;
    entry.set = [&target](const std::vector<std::string>& words) {
        return read(words.front(), target);
    };
    entry.show = [&target] { return std::vector<std::string>{cli::show(target)}; };
    return entry;
}

/// `name =` in a file, and nothing else, is the empty list.
template <>
inline Entry make_entry(std::vector<std::string>& target) {
    Entry entry;
    entry.spelling = spelling(target);
    entry.repeatable = true;
    entry.set = [&target](const std::vector<std::string>& words) {
        const bool none = words.size() == 1 && words.front().empty();
        target = none ? std::vector<std::string>{} : words;
        return true;
    };
    entry.show = [&target] { return target; };
    return entry;
}

/// The text of --help: usage, then the sections in order, names, meanings and defaults in columns.
[[nodiscard]] std::string help_text(const std::string& usage, const std::vector<Entry>& entries);

}  // namespace civitas::cli
