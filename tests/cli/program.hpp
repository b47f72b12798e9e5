#pragma once
/// A made-up program with an option of every type.
#include "civitas/cli/options.hpp"

#include <string>
#include <vector>

namespace civitas::test {

struct Settings {
    bool recompute = false;
    bool shuffle = true;
    int batch = 32;
    std::int64_t steps = 1000;
    std::uint64_t seed = 1;
    double rate = 2e-4;
    std::string net = "dcgan-64";
    std::vector<std::int64_t> stages = {3, 2};
    std::vector<std::string> roads;
    std::vector<std::string> inputs;
    friend bool operator==(const Settings&, const Settings&) = default;
};

inline cli::Options options_of(Settings& s) {
    cli::Options options("program", "program INPUT...: a program with an option of every type.");
    options.positional("inputs", s.inputs, "maps to read");
    options.section("Training")
        .add("batch", s.batch, "tiles of a step")
        .add("steps", s.steps, "updates of both nets")
        .add("rate", s.rate, "learning rate")
        .add("recompute", s.recompute, "drop what can be computed again")
        .add("shuffle", s.shuffle, "another order every epoch");
    options.section("Net and maps")
        .add("net", s.net, "name of the net")
        .add("stages", s.stages, "layers of each stage")
        .add("roads", s.roads, "which layers hold roads")
        .add("seed", s.seed, "of every random number");
    return options;
}

inline void parse(cli::Options& options, std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    options.parse(static_cast<int>(words.size()), words.data());
}

inline Settings parsed(const std::vector<const char*>& words) {
    Settings settings;
    auto options = options_of(settings);
    parse(options, words);
    return settings;
}

/// What a UsageError says about these words, or nothing when they are accepted.
inline std::string complaint(const std::vector<const char*>& words) {
    try {
        (void)parsed(words);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

}  // namespace civitas::test
