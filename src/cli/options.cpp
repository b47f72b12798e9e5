#include "civitas/cli/options.hpp"

#include "command_line.hpp"
#include "entry.hpp"
#include "ini.hpp"

#include "civitas/base/text.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace civitas::cli {

struct Options::Impl {
    std::string program;
    std::string usage;
    std::string heading;
    std::vector<Entry> entries;
    std::string positional;
    std::string config;
    bool help = false;

    Entry* find(const std::string& name);
    Entry& declared(const std::string& name);
    Entry& declare(const std::string& name, const std::string& words, Entry entry);

    [[nodiscard]] std::vector<Mention> mentions_on_command_line(int argc, const char* const* argv);
    [[nodiscard]] std::vector<Mention> mentions_in_file(const ReadFile& read);
    void apply(const std::vector<Mention>& mentions);
    void check_required() const;
    void check_companions();
    [[nodiscard]] UsageError unknown(const Mention& mention) const;
};

namespace {

/// These say how to read the options and are no part of a configuration.
bool only_on_command_line(const std::string& name) { return name == "config" || name == "help"; }

std::string as_written(const Mention& mention) {
    if (mention.place.empty()) return text("--", mention.name, ' ', mention.value);
    return text(mention.place, ": ", mention.name, " = ", mention.value);
}

/// "a whole number", and its range where the user wrote a whole number outside it.
std::string expectation(const Spelling& spelling, const std::string& written) {
    const bool whole = written.find_first_not_of("-0123456789") == std::string::npos;
    const bool outside = whole && !written.empty() && !spelling.range.empty();
    return "expected " + spelling.expected + (outside ? ' ' + spelling.range : "");
}

}  // namespace

Entry* Options::Impl::find(const std::string& name) {
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& entry) { return entry.name == name; });
    return at == entries.end() ? nullptr : &*at;
}

Entry& Options::Impl::declared(const std::string& name) {
    Entry* const entry = find(name);
    ensure(entry != nullptr, "an option is declared before it is used");
    return *entry;
}

Entry& Options::Impl::declare(const std::string& name, const std::string& words, Entry entry) {
    ensure(find(name) == nullptr, "an option is declared once");
    entry.name = name;
    entry.section = heading;
    entry.help = words;
    return entries.emplace_back(std::move(entry));
}

std::vector<Mention> Options::Impl::mentions_on_command_line(int argc, const char* const* argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const bool dashes_end = std::find(words.begin(), words.end(), "--") != words.end();
    auto mentions = read_command_line(words, entries);
    // A misspelt option makes a stray word of its value, so it is named first.
    for (const auto& mention : mentions)
        if (!mention.name.empty() && find(mention.name) == nullptr) throw unknown(mention);
    for (auto& [name, value, place] : mentions) {
        if (!name.empty()) continue;
        const bool option_like = value.size() > 1 && value[0] == '-' && !dashes_end;
        if (option_like) throw unknown({value.substr(1), "", ""});
        const bool truth = value == "true" || value == "false";  // that `--x true` means
        if (positional.empty())
            throw UsageError(text("unexpected word \"", value, '"'),
                             Hint{truth ? text("a switch takes its value as --NAME=", value)
                                        : text("options start with --, see ", program, " --help")});
        name = positional;
    }
    return mentions;
}

/// Those that the command line has not outdone in another way.
std::vector<Mention> Options::Impl::mentions_in_file(const ReadFile& read) {
    const auto words = read(config);
    if (!words)
        throw UsageError(text("cannot read the configuration ", config),
                         Hint{"a file of lines like batch = 8, such as the config.ini of a run"});
    std::istringstream lines(*words);
    std::vector<Mention> mentions;
    for (auto& [name, value, place] : read_ini(lines, config)) {
        const Mention mention{name, value, place};
        const Entry* const entry = find(name);
        if (entry == nullptr || only_on_command_line(name)) throw unknown(mention);
        const Entry* const other = find(entry->alternative);
        if (other == nullptr || !other->given) mentions.push_back(mention);
    }
    return mentions;
}

UsageError Options::Impl::unknown(const Mention& mention) const {
    const bool in_file = !mention.place.empty();
    const std::string dashes = in_file ? "" : "--";
    std::vector<std::string> names;
    for (const auto& entry : entries)
        if (!in_file || !only_on_command_line(entry.name)) names.push_back(entry.name);
    const auto longer = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return name.starts_with(mention.name);
    });
    const auto near = longer != names.end() ? *longer : nearest(mention.name, names);
    return UsageError(
        text(mention.place, in_file ? ": " : "", "unknown option ", dashes, mention.name),
        Hint{near            ? text("did you mean ", dashes, *near, "?")
             : usage.empty() ? "one of " + join(names, ", ")  // it is a file alone
                             : text(program, " --help lists them all")});
}

/// What has a value already keeps it: the command line is applied before the file.
void Options::Impl::apply(const std::vector<Mention>& mentions) {
    std::map<std::string, std::vector<std::string>> words;
    for (const auto& mention : mentions) {
        const Entry* const entry = find(mention.name);
        if (entry == nullptr) throw unknown(mention);
        auto& values = words[mention.name];
        if (!values.empty() && !entry->repeatable)
            throw UsageError(text(as_written(mention), ": given before as ", values.front()),
                             Hint{"an option is given once"});
        values.push_back(mention.value);
    }
    for (const auto& mention : mentions) {
        Entry& entry = declared(mention.name);
        if (entry.given) continue;
        if (!entry.set(words[mention.name]))
            throw UsageError(
                text(as_written(mention), ": ", expectation(entry.spelling, mention.value)));
        entry.given = true;
    }
}

void Options::Impl::check_required() const {
    for (const auto& entry : entries) {
        const std::string name = entry.positional ? entry.name : "--" + entry.name;
        if (entry.required && entry.given && entry.show() == std::vector<std::string>{""})
            throw UsageError(text(name, " is given, but empty: ", entry.help),
                             Hint{text(name, "=VALUE")});
        if (!entry.required || entry.given) continue;
        throw UsageError(text(name, " is missing: ", entry.help),
                         Hint{text(program, " --help lists all options")});
    }
}

void Options::Impl::check_companions() {
    for (const auto& entry : entries)
        if (!entry.goes_with.empty() && entry.changed() && !declared(entry.goes_with).changed())
            throw UsageError(text("--", entry.name, " counts with --", entry.goes_with,
                                  " alone, which is not given"),
                             Hint{text("--", entry.goes_with, ", or leave out --", entry.name)});
}

Options::Options(std::string program, std::string usage) : impl_(std::make_unique<Impl>()) {
    impl_->program = std::move(program);
    impl_->usage = std::move(usage);
    add("help", impl_->help, "show this and end");
    add("config", impl_->config, "read options from this file of name = value lines");
}

Options::Options(Options&&) noexcept = default;
Options::~Options() = default;

Options& Options::section(const std::string& heading) {
    impl_->heading = heading;
    return *this;
}

template <class T>
Options& Options::add(const std::string& name, T& target, const std::string& help) {
    Entry& entry = impl_->declare(name, help, make_entry(target));
    entry.usual = entry.show();
    return *this;
}

template Options& Options::add(const std::string&, bool&, const std::string&);
template Options& Options::add(const std::string&, int&, const std::string&);
template Options& Options::add(const std::string&, std::int64_t&, const std::string&);
template Options& Options::add(const std::string&, std::uint64_t&, const std::string&);
template Options& Options::add(const std::string&, double&, const std::string&);
template Options& Options::add(const std::string&, std::string&, const std::string&);
template Options& Options::add(const std::string&, std::vector<std::int64_t>&, const std::string&);
template Options& Options::add(const std::string&, std::vector<std::string>&, const std::string&);

Options& Options::positional(const std::string& name, std::vector<std::string>& target,
                             const std::string& help) {
    ensure(impl_->positional.empty(), "words without a dash belong to one option");
    impl_->declare(name, help, make_entry(target)).positional = true;
    impl_->positional = name;
    return *this;
}

Options& Options::required(const std::string& name) {
    impl_->declared(name).required = true;
    return *this;
}

Options& Options::once(const std::string& name) {
    impl_->declared(name).once = true;
    return *this;
}

Options& Options::alternatives(const std::string& one, const std::string& other) {
    impl_->declared(one).alternative = other;
    impl_->declared(other).alternative = one;
    return *this;
}

Options& Options::goes_with(const std::string& name, const std::string& other) {
    impl_->declared(name).goes_with = other;
    return *this;
}

Options& Options::preset(const std::string& name, const std::string& value) {
    Entry& entry = impl_->declared(name);
    if (!entry.set({value}))
        throw UsageError(text("--", name, ' ', value, ": ", expectation(entry.spelling, value)));
    entry.given = true;
    return *this;
}

void Options::parse(int argc, const char* const* argv, const ReadFile& read) {
    const std::string help = help_text(impl_->usage, impl_->entries);
    impl_->apply(impl_->mentions_on_command_line(argc, argv));
    if (impl_->help) throw HelpRequested{help};
    if (!impl_->config.empty()) {
        for (Entry& entry : impl_->entries) entry.by_file = !entry.given;
        impl_->apply(impl_->mentions_in_file(read));
    }
    impl_->check_required();
    impl_->check_companions();
}

std::string Options::resolved() const {
    std::ostringstream out;
    std::string section;
    for (const auto& entry : impl_->entries) {
        if (only_on_command_line(entry.name) || entry.once) continue;
        if (entry.section != section)
            out << (out.tellp() > 0 ? "\n" : "") << "# " << entry.section << '\n';
        section = entry.section;
        auto words = entry.show();
        if (words.empty()) words.emplace_back();
        for (const auto& word : words)
            out << entry.name << (word.empty() ? " =" : " = ") << ini_value(word) << '\n';
    }
    return out.str();
}

bool Options::given(const std::string& name) const { return impl_->declared(name).given; }

bool Options::given_by_file(const std::string& name) const {
    const Entry& entry = impl_->declared(name);
    return entry.given && entry.by_file;
}

bool Options::changed(const std::string& name) const { return impl_->declared(name).changed(); }

const std::string& Options::file() const { return impl_->config; }

}  // namespace civitas::cli
