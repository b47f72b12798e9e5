#include "civitas/cli/program.hpp"

#include "civitas/base/signals.hpp"
#include "civitas/base/version.hpp"

#include <algorithm>
#include <iostream>

namespace civitas::cli {
namespace {

/// `--steps=4` and `--steps 4` are the same.
std::string first_word(std::string word) {
    const auto equals = word.find('=');
    if (equals != std::string::npos) word[equals] = ' ';
    return word;
}

}  // namespace

std::string lines_of(int argc, const char* const* argv) {
    std::vector<std::string> lines{
        text(std::filesystem::path(argc > 0 ? argv[0] : "").filename().string(), ' ', version())};
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word.starts_with("--") || i == 1)
            lines.push_back(first_word(word));
        else
            lines.back() += ' ' + word;
    }
    std::sort(lines.begin() + 1, lines.end());
    std::string all;
    for (const std::string& line : lines) all += line + '\n';
    return all;
}

ReadFile reading_together(const comm::Communicator& world) {
    return [&world](const std::filesystem::path& file) -> std::optional<std::string> {
        bool there = false;
        auto words = comm::from_root(world, [&] {
            auto read = read_file(file);
            there = read.has_value();
            return std::move(read).value_or("");
        });
        if (!world.broadcast(there)) return std::nullopt;
        return words;
    };
}

int run_program(int argc, char** argv,
                const std::function<comm::Exit(const comm::Communicator&)>& body) {
    ignore_file_size_signal();
    return comm::run_session(argc, argv, [&] {
        const auto world = comm::Communicator::world();
        comm::require_same(world, {"the command line", Hint{"one command for all ranks of a job"}},
                           lines_of(argc, argv));
        try {
            return body(world);
        } catch (const HelpRequested& help) {
            if (world.is_root()) std::cout << help.text;
            return comm::Exit::done;
        }
    });
}

}  // namespace civitas::cli
