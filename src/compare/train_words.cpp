#include "civitas/compare/train_words.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace civitas::compare {
namespace {

constexpr std::array set_by_strategies{
    "mesh",       "schedule", "stages",    "discriminator-stages",
    "shard",      "offload",  "placement", "replicas",
    "update",     "servers",  "vary",      "population",
    "when-failed"};
constexpr std::array of_kept_runs{"run",
                                  "resume",
                                  "allow-change",
                                  "keep",
                                  "keep-every",
                                  "checkpoint-every",
                                  "checkpoint-minutes",
                                  "checkpoint-mode",
                                  "sample-every",
                                  "trace",
                                  "max-minutes"};
constexpr std::array of_trainings{"delay", "rounds"};
/// Of `compare` itself, and steps, which are told apart.
constexpr std::array<std::string_view, 8> not_of_train{
    "strategies", "placements", "rounds", "output", "overwrite", "machine", "ranks", "steps"};

/// The option that a word names: `batch` of `--batch=32`; empty of a word that is none.
std::string_view option_of(std::string_view word) {
    if (!word.starts_with("--")) return {};
    return word.substr(2, word.find('=') == word.npos ? word.npos : word.find('=') - 2);
}

template <std::size_t count>
bool among(std::string_view name, const std::array<const char*, count>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void refuse_own_choices(int count, const char* const* words) {
    for (int i = 1; i < count; ++i) {
        const std::string_view name = option_of(words[i]);
        if (among(name, set_by_strategies))
            throw UsageError(text("--", name, " is what strategies differ in"),
                             Hint{"--strategies names those to compare, --placements where the "
                                  "naive one cuts"});
        if (among(name, of_kept_runs))
            throw UsageError(text("--", name, " is of a run, and compare keeps none"),
                             Hint{"leave it out; --output names the files that are written"});
        if (name == "epochs")
            throw UsageError(
                "--epochs may end in part of a batch, and strategies are compared by "
                "equal steps",
                Hint{"--steps"});
    }
}

void refuse_of_trainings(int count, const char* const* words) {
    for (int i = 1; i < count; ++i)
        if (const std::string_view name = option_of(words[i]); among(name, of_trainings))
            throw UsageError(text("--", name, " is of trainings, and --ranks predicts without any"),
                             Hint{text("leave out --", name, " or --ranks")});
}

std::string train_words(int count, const char* const* words) {
    std::string kept;
    bool keeps = true;  // whether the last option is one of train's
    for (int i = 1; i < count; ++i) {
        if (const std::string_view name = option_of(words[i]); !name.empty())
            keeps = std::find(not_of_train.begin(), not_of_train.end(), name) == not_of_train.end();
        if (keeps) kept += ' ' + shell_quoted(words[i]);
    }
    return kept;
}

}  // namespace civitas::compare
