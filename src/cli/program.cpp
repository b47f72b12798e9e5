#include "civitas/cli/program.hpp"

#include "origin.hpp"

#include "civitas/base/process.hpp"
#include "civitas/base/signals.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/failure.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string_view>

namespace civitas::cli {
namespace {

/// `--steps=4` and `--steps 4` are the same.
std::string first_word(std::string word) {
    const auto equals = word.find('=');
    if (equals != std::string::npos) word[equals] = ' ';
    return word;
}

/// The words of a wrong use, and where the file that --config names says what they are about. The
/// file is read again, so that no command has to keep it; what cannot be read twice is left out.
std::string with_origin(const Error& error, int argc, const char* const* argv) try {
    const std::vector<std::string> words(argv, argv + argc);
    const std::string file = config_of(words);
    if (file.empty() || !std::filesystem::is_regular_file(file)) return error.what();
    std::istringstream lines(read_file(file).value_or(""));
    return with_origin(error.what(), in_force(read_ini(lines, file), words));
} catch (const std::exception&) {
    return error.what();
}

std::string name_and_version(int argc, const char* const* argv) {
    const std::filesystem::path program = argc > 0 ? argv[0] : "";
    return text(program.filename().string(), ' ', version());
}

}  // namespace

bool asks_version(int argc, const char* const* argv) {
    return (argc == 2 || argc == 3) && argv[argc - 1] == std::string_view("--version");
}

std::string lines_of(int argc, const char* const* argv) {
    std::vector<std::string> lines{name_and_version(argc, argv)};
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

int run_program(int argc, char** argv, const std::function<Exit(const comm::Communicator&)>& body,
                const std::function<std::vector<Component>()>& components) {
    ignore_file_size_signal();
    return comm::run_session(argc, argv, [&] {
        const auto world = comm::Communicator::world();
        comm::require_same(world, {"the command line", Hint{"one command for all ranks of a job"}},
                           lines_of(argc, argv));
        if (asks_version(argc, argv)) {
            if (world.is_root())
                std::cout << name_and_version(argc, argv) << '\n'
                          << to_text(components ? components() : std::vector<Component>{});
            return Exit::done;
        }
        try {
            return body(world);
        } catch (const UsageError& e) {
            throw UsageError(with_origin(e, argc, argv));
        } catch (const AgreedError& e) {
            if (!e.usage()) throw;
            throw AgreedError(with_origin(e, argc, argv), true);
        } catch (const HelpRequested& help) {
            if (world.is_root()) std::cout << help.text;
            return Exit::done;
        }
    });
}

int run_without_mpi(int argc, char** argv, const std::function<Exit()>& body) {
    ignore_file_size_signal();
    const bool speaks = is_first_of_job();
    const auto failed = [&](const std::string& words, Exit exit) {
        if (speaks) std::cerr << text("error: ", words, '\n') << std::flush;
        return static_cast<int>(exit);
    };
    try {
        return static_cast<int>(body());
    } catch (const UsageError& e) {
        return failed(with_origin(e, argc, argv), Exit::usage);
    } catch (const HelpRequested& help) {
        if (speaks) std::cout << help.text;
        return static_cast<int>(Exit::done);
    } catch (const std::exception& e) {
        return failed(comm::message_of(e), Exit::error);
    }
}

}  // namespace civitas::cli
